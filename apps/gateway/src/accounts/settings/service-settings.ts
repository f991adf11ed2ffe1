import { SetAudioRetention, SetLowBalanceNotice } from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Rounds } from '../rounds';

/** How long the two questions may take together. */
const DEADLINE_MS = 3_000;
/** Longer than the questions take: another gateway must not ask them meanwhile. */
const RETRY_SECONDS = 10;

/**
 * Settings of an account that billing and jobs act on. The account's row says what they are; that the others have not
 * been told yet is written in the same transaction and stays until both have answered, so that a crash, or a service
 * that is down, delays it and no more. A question that is handled late carries an older revision, and changes nothing.
 */
@Injectable()
export class ServiceSettings implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ServiceSettings.name);
  private readonly rounds = new Rounds(() => this.tellNext());

  constructor(
    private readonly source: DataSource,
    private readonly requester: Requester,
  ) {}

  /** In the transaction that changes them; say `tellSoon` after its commit. */
  async changed(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query(
      `WITH raised AS (
         UPDATE accounts SET settings_revision = settings_revision + 1 WHERE id = $1
         RETURNING id, settings_revision)
       INSERT INTO settings_to_tell (account_id, revision) SELECT id, settings_revision FROM raised
       ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision, next_attempt_at = now()`,
      [accountId],
    );
  }

  tellSoon(): void {
    this.rounds.startSoon();
  }

  onApplicationBootstrap(): void {
    this.rounds.open();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.close();
  }

  /**
   * No connection is held while the others are asked: whoever claims a row has it alone until its next attempt. A change
   * meanwhile raises the row's revision, so that the row stays.
   * @returns whether there may be more to tell
   */
  private async tellNext(): Promise<boolean> {
    const waiting = await row<{ account_id: string }>(
      this.source,
      `UPDATE settings_to_tell SET next_attempt_at = now() + make_interval(secs => $1)
        WHERE account_id = (SELECT account_id FROM settings_to_tell WHERE next_attempt_at <= now()
                             ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING account_id`,
      [RETRY_SECONDS],
    );
    if (!waiting) return false;
    const told = await this.tell(waiting.account_id);
    if (told !== undefined)
      await this.source.query('DELETE FROM settings_to_tell WHERE account_id = $1 AND revision = $2', [
        waiting.account_id,
        told,
      ]);
    return true;
  }

  /** @returns the revision that both know now; undefined where one of them has not answered */
  private async tell(accountId: string): Promise<number | undefined> {
    const settings = await row<{
      days: number;
      transcript_days: number | null;
      closed_at: Date | null;
      notice: string | null;
      revision: string;
    }>(
      this.source,
      `SELECT audio_retention_days AS days, transcript_retention_days AS transcript_days, closed_at, low_balance_notice_micro_aud AS notice, settings_revision AS revision
         FROM accounts WHERE id = $1`,
      [accountId],
    );
    const revision = Number(settings!.revision);
    const { days, transcript_days, closed_at, notice } = settings!;
    try {
      const answers = await Promise.all([
        this.requester.ask(
          SetAudioRetention,
          {
            ...{ account_id: accountId, days, transcript_days, revision },
            closed_at: closed_at?.toISOString() ?? null,
          },
          { deadlineMs: DEADLINE_MS },
        ),
        this.requester.ask(
          SetLowBalanceNotice,
          { account_id: accountId, threshold_micro_aud: notice === null ? null : Number(notice), revision },
          { deadlineMs: DEADLINE_MS },
        ),
      ]);
      for (const answer of answers) {
        if (!answer.ok)
          this.log.error(`the settings of account ${accountId} were refused: ${answer.refusal.code}`);
      }
      return answers.every((answer) => answer.ok) ? revision : undefined;
    } catch (error) {
      this.log.warn(`the settings of account ${accountId} wait: ${String(error)}`);
      return undefined;
    }
  }
}
