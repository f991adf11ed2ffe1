import { DataSource, rows } from '@currawong/database';
import { Injectable } from '@nestjs/common';

/** Whoever asks what became of a job's attempts asks sooner. */
const KEPT_DAYS = 30;
const PAGE = 200;

/**
 * Pieces of work of jobs that ended long ago: with the speech spans of each chunk they are most of what a job leaves in the
 * database, and nothing is told from them any more. The jobs themselves stay, as their account's history; so do the one or
 * two pieces of a job that never recognized anything.
 */
@Injectable()
export class OldWork {
  constructor(private readonly source: DataSource) {}

  /** @returns of how many jobs */
  async sweep(): Promise<number> {
    let cleared = 0;
    for (;;) {
      // By the index of what was recognized, which such a piece is in.
      const found = await rows<{ job_id: string }>(
        this.source,
        `WITH old AS (
           SELECT DISTINCT w.job_id FROM (
             SELECT job_id FROM work_items
              WHERE state = 'done' AND stage IN ('whole', 'recognize') AND finished_at < now() - interval '${KEPT_DAYS} days'
              ORDER BY finished_at LIMIT ${PAGE}) w
             JOIN jobs j ON j.id = w.job_id
            WHERE j.completed_at < now() - interval '${KEPT_DAYS} days' AND j.diarization_item_id IS NULL
         )
         DELETE FROM work_items WHERE job_id IN (SELECT job_id FROM old) RETURNING job_id`,
      );
      const jobs = new Set(found.map(({ job_id }) => job_id)).size;
      cleared += jobs;
      if (jobs === 0) return cleared;
    }
  }
}
