import { DataSource, rows } from '@currawong/database';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const EVERY_MS = 600_000;
const KEPT_DAYS = 30;
const AT_A_TIME = 1_000;

/** Deliveries that ended long ago are removed, and secrets that no longer sign. */
@Injectable()
export class Pruning implements OnModuleInit, BeforeApplicationShutdown {
  private readonly log = new Logger(Pruning.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly source: DataSource) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.prune().catch((error: unknown) => this.log.warn(`what is old stays for now: ${String(error)}`));
    }, EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async prune(): Promise<void> {
    await this.source.query('DELETE FROM webhook_secrets WHERE expires_at <= now()');
    for (;;) {
      const removed = await rows(
        this.source,
        `DELETE FROM webhook_deliveries WHERE id IN (
           SELECT id FROM webhook_deliveries
            WHERE created_at < now() - make_interval(days => ${KEPT_DAYS}) AND state <> 'pending' LIMIT ${AT_A_TIME})
         RETURNING id`,
      );
      if (removed.length < AT_A_TIME) return;
    }
  }
}
