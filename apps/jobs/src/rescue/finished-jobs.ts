import { objectKeys } from '@currawong/contracts';
import { DataSource, row, rows } from '@currawong/database';
import { ObjectStore } from '@currawong/object-store';
import { Injectable, Logger } from '@nestjs/common';
import { forEveryRow } from './every-row';

/** Longer than a worker that was not told of a job's end may still be at one of its chunks. */
const CLEAR_AFTER_SECONDS = 600;

interface Finished {
  id: string;
  result_key: string | null;
  voices_key: string | null;
}

/**
 * What was derived on the way to a result, and results that did not count or no longer do, are deleted when nobody can be
 * writing or reading any.
 */
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
        rows<{ id: string }>(
          this.source,
          `SELECT id FROM jobs
            WHERE state IN ('completed', 'failed') AND completed_at IS NOT NULL AND cleared_at IS NULL AND id > $1
              AND changed_at < now() - make_interval(secs => $3) AND diarization_item_id IS NULL
            ORDER BY id LIMIT $2`,
          [afterId, limit, CLEAR_AFTER_SECONDS],
        ),
      (job) => this.clear(job),
      ({ id }, error) => this.log.warn(`job ${id} is not cleared yet: ${String(error)}`),
    );
  }

  /**
   * The keys are listed before it is looked up which of them count: a new result that is written meanwhile is not among
   * them, and one that was counts by then or is still to come.
   */
  private async clear({ id }: { id: string }): Promise<void> {
    await this.store.deletePrefix(objectKeys.workPrefix(id));
    const keys: string[] = [];
    for await (const { key } of this.store.list(objectKeys.resultPrefix(id))) keys.push(key);
    const job = await row<Finished>(
      this.source,
      'SELECT id, result_key, voices_key FROM jobs WHERE id = $1 AND diarization_item_id IS NULL',
      [id],
    );
    if (!job) return;
    for (const key of keys)
      if (key !== job.result_key && key !== job.voices_key) await this.store.delete(key);
    await this.source.query(
      `UPDATE jobs SET cleared_at = now()
        WHERE id = $1 AND diarization_item_id IS NULL AND result_key IS NOT DISTINCT FROM $2`,
      [id, job.result_key],
    );
  }
}
