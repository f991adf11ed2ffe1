import { DataSource, row, type EntityManager } from '@currawong/database';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Rounds } from '../rounds';
import { MailTransport, type MailOutcome } from './mail-transport';
import type { MailText } from './texts';

/** Longer than a server is given to take a mail: another gateway must not send it meanwhile. */
const LEASE_SECONDS = 120;
const FIRST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;
const GIVE_UP_AFTER_HOURS = 24;

interface WaitingMail {
  id: string;
  kind: string;
  recipient: string;
  subject: string;
  body: string;
  attempts: number;
  too_old: boolean;
}

/**
 * Mails that follow a commit. Each is sent at least once: a gateway that dies after the mail server took one sends it
 * again under the same Message-ID. What is sent, or given up after a day, loses its text.
 */
@Injectable()
export class OutgoingMails implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(OutgoingMails.name);
  private readonly rounds = new Rounds(() => this.sendNext());

  constructor(
    private readonly source: DataSource,
    private readonly transport: MailTransport,
  ) {}

  /**
   * In the transaction that causes it; say `sendSoon` after its commit.
   * @param cause what causes it, where that may be told twice: the mail is written once
   */
  async write(
    manager: EntityManager,
    holder: { id: string; email: string },
    { kind, subject, body }: MailText,
    cause: string | null = null,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO outgoing_mails (id, account_id, kind, cause, recipient, subject, body)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (cause) DO NOTHING`,
      [uuidv7(), holder.id, kind, cause, holder.email, subject, body],
    );
  }

  sendSoon(): void {
    this.rounds.startSoon();
  }

  onApplicationBootstrap(): void {
    this.rounds.open();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.close();
  }

  /** @returns whether there may be more to send */
  private async sendNext(): Promise<boolean> {
    const mail = await this.claim();
    if (!mail) return false;
    const outcome = await this.transport.send(mail);
    await this.settle(mail, outcome);
    return true;
  }

  /** Whoever claims a mail has it alone until the lease is over; the database's clock says when. */
  private claim(): Promise<WaitingMail | undefined> {
    return row<WaitingMail>(
      this.source,
      `UPDATE outgoing_mails SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
        WHERE id = (SELECT id FROM outgoing_mails WHERE body IS NOT NULL AND next_attempt_at <= now()
                     ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, kind, recipient, subject, body, attempts,
                  created_at < now() - make_interval(hours => $2) AS too_old`,
      [LEASE_SECONDS, GIVE_UP_AFTER_HOURS],
    );
  }

  private async settle(mail: WaitingMail, outcome: MailOutcome): Promise<void> {
    if (outcome.kind === 'sent') {
      await this.source.query('UPDATE outgoing_mails SET sent_at = now(), body = NULL WHERE id = $1', [
        mail.id,
      ]);
      return;
    }
    // Neither the address nor the text: the log is read by more people than the mail.
    const which = `mail ${mail.id} (${mail.kind}), attempt ${mail.attempts}`;
    if (outcome.kind === 'refused' || mail.too_old) {
      this.log.error(`${which}: given up: ${outcome.reason}`);
      await this.source.query('UPDATE outgoing_mails SET given_up_at = now(), body = NULL WHERE id = $1', [
        mail.id,
      ]);
      return;
    }
    const waitSeconds = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (mail.attempts - 1));
    this.log.warn(`${which}: tried again in ${waitSeconds} s: ${outcome.reason}`);
    await this.source.query(
      `UPDATE outgoing_mails SET next_attempt_at = now() + make_interval(secs => $2) WHERE id = $1`,
      [mail.id, waitSeconds],
    );
  }
}
