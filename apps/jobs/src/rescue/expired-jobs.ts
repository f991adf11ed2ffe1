import { DataSource, row, rows } from '@currawong/database';
import { Injectable, Logger } from '@nestjs/common';
import { Deleting } from '../deletion/deleting';
import { CLOSED_ACCOUNT_DAYS } from '../lifecycle/job';
import { forEveryRow } from './every-row';

/**
 * Jobs that ended longer ago than their account keeps them, and all jobs of an account that has been closed for so long
 * that it will not be opened again. They are erased as if their owner had asked.
 */
@Injectable()
export class ExpiredJobs {
  private readonly log = new Logger(ExpiredJobs.name);

  constructor(
    private readonly source: DataSource,
    private readonly deleting: Deleting,
  ) {}

  async sweep(): Promise<void> {
    await this.erase(
      'retention',
      's.transcript_retention_days IS NOT NULL AND j.completed_at < now() - make_interval(days => s.transcript_retention_days)',
    );
    await this.erase('account_closed', `s.closed_at < now() - make_interval(days => ${CLOSED_ACCOUNT_DAYS})`);
  }

  /** Looks at nothing but accounts that have chosen something, and of those at their oldest jobs. */
  private erase(reason: 'retention' | 'account_closed', isDue: string): Promise<void> {
    const due = `SELECT j.id FROM account_settings s
        JOIN jobs j ON j.account_id = s.account_id AND j.completed_at IS NOT NULL AND j.deleted_at IS NULL
       WHERE (s.transcript_retention_days IS NOT NULL OR s.closed_at IS NOT NULL) AND ${isDue}`;
    return forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(this.source, `${due} AND j.id > $1 ORDER BY j.id LIMIT $2`, [afterId, limit]),
      ({ id }) =>
        this.deleting.erase(
          id,
          reason,
          async (manager) => (await row(manager, `${due} AND j.id = $1`, [id])) !== undefined,
        ),
      ({ id }, error) => this.log.warn(`job ${id}, whose time is over, is not erased yet: ${String(error)}`),
    );
  }
}
