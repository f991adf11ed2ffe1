import { DataSource } from '@currawong/database';
import { settlesWithin } from '@currawong/messaging';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const WRITE_EVERY_MS = 5_000;
/** At the end of the process: with a database that does not answer, a statement would take its whole limit. */
const LAST_WRITE_MS = 3_000;

/** When each key was last used, to the minute: collected in memory, written every few seconds with one statement. */
@Injectable()
export class KeyUses implements OnModuleInit, BeforeApplicationShutdown {
  private readonly log = new Logger(KeyUses.name);
  private used = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly source: DataSource) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  note(keyId: string): void {
    this.used.add(keyId);
  }

  /** What could not be written now is written the next time. */
  async write(): Promise<void> {
    if (this.used.size === 0) return;
    const keyIds = [...this.used];
    this.used = new Set();
    try {
      // Locked in one order, as other gateways write the same rows.
      await this.source.query(
        `UPDATE api_keys SET last_used_at = date_trunc('minute', now()) WHERE id IN (
           SELECT id FROM api_keys
            WHERE id = ANY($1::uuid[]) AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', now()))
            ORDER BY id FOR UPDATE)`,
        [keyIds],
      );
    } catch (error) {
      for (const keyId of keyIds) this.used.add(keyId);
      this.log.warn(`the use of ${keyIds.length} keys could not be written yet: ${String(error)}`);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    if (!(await settlesWithin(this.write(), LAST_WRITE_MS)))
      this.log.warn('the last use of some keys is not written: the database does not answer');
  }
}
