import { createDataSource, migrate, row, type DataSource } from '@currawong/database';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { JOBS_SCHEMA } from './database';
import type { JobState } from '../lifecycle/job';
import type { JobRecord } from './job-records';

/** The tables of this service on a database of their own, for the tests of one file. */
export class TestDatabase {
  private constructor(readonly source: DataSource) {}

  static async open(url: string): Promise<TestDatabase> {
    await migrate({ ...JOBS_SCHEMA, url });
    const source = createDataSource({ ...JOBS_SCHEMA, url, poolSize: 5 });
    return new TestDatabase(await source.initialize());
  }

  close(): Promise<void> {
    return this.source.destroy();
  }

  /** Resolves when somebody waits for a row that a transaction of the test holds. @throws Error after 10 s */
  async untilSomebodyWaits(): Promise<void> {
    for (const end = Date.now() + 10_000; ; await sleep(20)) {
      const [{ count }] = await this.source.query<[{ count: number }]>(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      if (count > 0) return;
      if (Date.now() > end) throw new Error('Nobody came to the row that is held.');
    }
  }

  /** A job as it would be after its way to that state. */
  async insertJob(columns: Partial<Omit<JobRecord, 'state'>> & { state: JobState }): Promise<JobRecord> {
    const { state, id = uuidv7() } = columns;
    const ended = state === 'completed' || state === 'failed';
    const failed = state === 'failed';
    const all = {
      id,
      account_id: uuidv7(),
      mode: 'live',
      original_filename: 'a.wav',
      source_key: `audio/${id}`,
      size_bytes: 1,
      held_seconds: 60,
      ...(state === 'uploading' ? { upload_expires_at: new Date(Date.now() + 60_000) } : {}),
      ...(ended || state === 'settling' ? { outcome: failed ? 'failed' : 'completed' } : {}),
      ...(ended ? { completed_at: new Date(), cost_micro_aud: failed ? 0 : 20_000 } : {}),
      ...(failed ? { error_message: 'because' } : {}),
      ...(state === 'completed' || state === 'settling' ? { result_key: `results/${id}` } : {}),
      ...columns,
    };
    const names = Object.keys(all);
    const inserted = await row<JobRecord>(
      this.source,
      `INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING *`,
      Object.values(all),
    );
    return inserted!;
  }
}
