import { DataSource, rows } from '@currawong/database';
import { Injectable } from '@nestjs/common';

/** After that nobody waits for it any more. Longer than an installation without the process that announces may be repaired. */
export const ANNOUNCED_FOR_DAYS = 3;
const AT_A_TIME = 1_000;

/** Ends of jobs that nobody has asked for are forgotten: an installation may be without the process that announces them. */
@Injectable()
export class GivenUpAnnouncements {
  constructor(private readonly source: DataSource) {}

  async sweep(): Promise<void> {
    for (;;) {
      const forgotten = await rows(
        this.source,
        `UPDATE jobs SET announce_at = NULL, webhook_url = CASE WHEN deleted_at IS NULL THEN webhook_url END
          WHERE id IN (SELECT id FROM jobs
                        WHERE state IN ('completed', 'failed')
                          AND announce_at <= now() - make_interval(days => ${ANNOUNCED_FOR_DAYS})
                        LIMIT ${AT_A_TIME} FOR UPDATE SKIP LOCKED)
          RETURNING id`,
      );
      if (forgotten.length < AT_A_TIME) return;
    }
  }
}
