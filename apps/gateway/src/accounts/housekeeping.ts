import { DataSource } from '@currawong/database';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Sessions } from './sessions/sessions';

const EVERY_MS = 600_000;
/** How long it is known of a mail that it was sent. */
const MAILS_KEPT_DAYS = 30;

/** Removes what is over: it is not let in any more, and would only pile up. */
@Injectable()
export class Housekeeping implements OnModuleInit, BeforeApplicationShutdown {
  private readonly log = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: DataSource,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.clean().catch((error: unknown) => this.log.warn(`what is over stays for now: ${String(error)}`));
    }, EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async clean(): Promise<void> {
    await this.sessions.deleteExpired();
    await this.source.query('DELETE FROM mail_tokens WHERE expires_at <= now()');
    await this.source.query('DELETE FROM oidc_attempts WHERE expires_at <= now()');
    await this.source.query(
      `DELETE FROM outgoing_mails WHERE body IS NULL AND created_at < now() - make_interval(days => ${MAILS_KEPT_DAYS})`,
    );
  }
}
