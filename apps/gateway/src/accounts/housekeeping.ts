import { DataSource } from '@currawong/database';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Sessions } from './sessions/sessions';

const EVERY_MS = 600_000;
/** How long it is known of a mail that it was sent. */
const MAILS_KEPT_DAYS = 30;

/** Removes what is over, which is not let in any more and would only pile up, and mends what older gateways leave. */
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
      this.round().catch((error: unknown) =>
        this.log.warn(`what is over, or to be mended, stays for now: ${String(error)}`),
      );
    }, EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async round(): Promise<void> {
    await this.clean();
    await this.noteClosings();
  }

  async clean(): Promise<void> {
    await this.sessions.deleteExpired();
    await this.source.query('DELETE FROM mail_tokens WHERE expires_at <= now()');
    await this.source.query('DELETE FROM oidc_attempts WHERE expires_at <= now()');
    await this.source.query(
      `DELETE FROM outgoing_mails WHERE body IS NULL AND created_at < now() - make_interval(days => ${MAILS_KEPT_DAYS})`,
    );
  }

  /**
   * While the service is upgraded, a gateway from before `closed_at` may close an account, whose jobs would be kept for
   * ever, or open one again, whose jobs would be erased. The time of one that was closed begins when it is seen.
   */
  private async noteClosings(): Promise<void> {
    await this.source.query(
      `WITH mended AS (
         UPDATE accounts SET closed_at = CASE WHEN state = 'closed' THEN now() END,
                             settings_revision = settings_revision + 1
          WHERE (state = 'closed') <> (closed_at IS NOT NULL) RETURNING id, settings_revision)
       INSERT INTO settings_to_tell (account_id, revision) SELECT id, settings_revision FROM mended
       ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision, next_attempt_at = now()`,
    );
  }
}
