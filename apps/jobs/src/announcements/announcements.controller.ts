import {
  accept,
  ConfirmAnnounced,
  ListUnannounced,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource, rows } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import type { JobRecord } from '../storage/job-records';
import { asEndedJob } from './ended-job';
import { ANNOUNCED_FOR_DAYS } from './given-up';

/** Longer than whoever was given a job's end takes to keep it. */
const ASKED_AGAIN_AFTER_SECONDS = 30;

/**
 * The ends of jobs are published on a stream, whose store may be lost or put back to an older copy. So each is kept here
 * until somebody says that it is kept where it is delivered from.
 */
@Controller()
export class AnnouncementsController {
  constructor(private readonly source: DataSource) {}

  @Answers(ListUnannounced)
  async list({ limit }: PayloadOf<typeof ListUnannounced>): Promise<Result<ReplyOf<typeof ListUnannounced>>> {
    const jobs = await rows<JobRecord>(
      this.source,
      `UPDATE jobs SET announce_at = now() + make_interval(secs => $2)
        WHERE id IN (SELECT id FROM jobs
                      WHERE state IN ('completed', 'failed') AND announce_at <= now()
                        AND completed_at > now() - make_interval(days => ${ANNOUNCED_FOR_DAYS})
                      ORDER BY announce_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING *`,
      [limit, ASKED_AGAIN_AFTER_SECONDS],
    );
    return accept({ jobs: jobs.map(asEndedJob) });
  }

  @Answers(ConfirmAnnounced)
  async confirm({
    job_ids,
  }: PayloadOf<typeof ConfirmAnnounced>): Promise<Result<ReplyOf<typeof ConfirmAnnounced>>> {
    await this.source.query(
      // Nothing of an erased job is kept that is not needed any more: its address may hold a secret.
      `UPDATE jobs SET announce_at = NULL, webhook_url = CASE WHEN deleted_at IS NULL THEN webhook_url END
        WHERE id = ANY($1::uuid[]) AND state IN ('completed', 'failed') AND announce_at IS NOT NULL`,
      [job_ids],
    );
    return accept({});
  }
}
