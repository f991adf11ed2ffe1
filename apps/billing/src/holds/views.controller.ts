import {
  accept,
  DescribeHolds,
  type HoldView,
  ListOpenHolds,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource, rows } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';

/** Holds as others may look at them, to compare them with what they know about their jobs. */
@Controller()
export class HoldViewsController {
  constructor(private readonly source: DataSource) {}

  @Answers(DescribeHolds)
  async describe({ job_ids }: PayloadOf<typeof DescribeHolds>): Promise<Result<Views>> {
    const found = await rows<HoldViewRow>(this.source, `${SELECT} WHERE job_id = ANY($1::uuid[])`, [job_ids]);
    return accept({ holds: found.map(viewFrom) });
  }

  @Answers(ListOpenHolds)
  async listOpen(wanted: PayloadOf<typeof ListOpenHolds>): Promise<Result<Views>> {
    const found = await rows<HoldViewRow>(
      this.source,
      `${SELECT} WHERE state = 'pending' AND job_id > $1 AND placed_at < now() - make_interval(secs => $2)
        ORDER BY job_id LIMIT $3`,
      [wanted.after_job_id ?? BEFORE_ALL, wanted.older_than_seconds, wanted.limit],
    );
    return accept({ holds: found.map(viewFrom) });
  }
}

type Views = ReplyOf<typeof DescribeHolds>;
type HoldViewRow = Omit<HoldView, 'seconds' | 'charged_micro_aud' | 'placed_at'> & {
  seconds: string;
  charged_micro_aud: string | null;
  placed_at: Date;
};

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const SELECT = `
  SELECT job_id, account_id, state, charged_micro_aud, placed_at,
         coalesce(captured_free_seconds + captured_paid_seconds, free_seconds + paid_seconds) AS seconds
    FROM holds`;

function viewFrom(row: HoldViewRow): HoldView {
  return {
    ...row,
    seconds: Number(row.seconds),
    charged_micro_aud: row.charged_micro_aud === null ? null : Number(row.charged_micro_aud),
    placed_at: row.placed_at.toISOString(),
  };
}
