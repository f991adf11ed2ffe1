import { objectKeys } from '@currawong/contracts';
import { DataSource, rows } from '@currawong/database';
import { ObjectStore } from '@currawong/object-store';
import { Injectable, Logger } from '@nestjs/common';
import { forEveryRow } from './every-row';

/** Longer than a worker that was not told of a job's end may still be at one of its chunks. */
const CLEAR_AFTER_SECONDS = 600;

interface Finished {
  id: string;
  result_key: string | null;
}

/** What was derived on the way to a result, and results that did not count, are deleted when nobody can be writing any. */
@Injectable()
export class FinishedJobs {
  private readonly log = new Logger(FinishedJobs.name);

  constructor(
    private readonly source: DataSource,
    private readonly store: ObjectStore,
  ) {}

  sweep(): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<Finished>(
          this.source,
          `SELECT id, result_key FROM jobs
            WHERE state IN ('completed', 'failed') AND cleared_at IS NULL AND id > $1
              AND completed_at < now() - make_interval(secs => $3)
            ORDER BY id LIMIT $2`,
          [afterId, limit, CLEAR_AFTER_SECONDS],
        ),
      (job) => this.clear(job),
      ({ id }, error) => this.log.warn(`job ${id} is not cleared yet: ${String(error)}`),
    );
  }

  private async clear({ id, result_key }: Finished): Promise<void> {
    await this.store.deletePrefix(objectKeys.workPrefix(id));
    for await (const { key } of this.store.list(objectKeys.resultPrefix(id))) {
      if (key !== result_key) await this.store.delete(key);
    }
    await this.source.query('UPDATE jobs SET cleared_at = now() WHERE id = $1', [id]);
  }
}
