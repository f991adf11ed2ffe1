import {
  accept,
  SetAccountLimits,
  type AccountLimits,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource, row } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Releases } from '../dispatch/releases';
import { isWaiting } from '../storage/waiting-work';

/** What the operator has set for single accounts. */
@Controller()
export class AccountLimitsController {
  constructor(
    private readonly source: DataSource,
    private readonly releases: Releases,
  ) {}

  @Answers(SetAccountLimits)
  async set({
    account_id,
    ...limits
  }: PayloadOf<typeof SetAccountLimits>): Promise<Result<ReplyOf<typeof SetAccountLimits>>> {
    const { weight, concurrency, unfinished_jobs } = limits;
    if (Object.keys(limits).length > 0)
      await this.source.query(
        `INSERT INTO account_limits AS l (account_id, weight, concurrency, unfinished_jobs) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id) DO UPDATE
           SET weight = CASE WHEN $5 THEN excluded.weight ELSE l.weight END,
               concurrency = CASE WHEN $6 THEN excluded.concurrency ELSE l.concurrency END,
               unfinished_jobs = CASE WHEN $7 THEN excluded.unfinished_jobs ELSE l.unfinished_jobs END`,
        [
          ...[account_id, weight ?? null, concurrency ?? null, unfinished_jobs ?? null],
          ...[weight !== undefined, concurrency !== undefined, unfinished_jobs !== undefined],
        ],
      );
    // A higher limit may let something go at once.
    this.releases.nudge();
    const known = await row<AccountLimits & { unfinished: number; waiting: number }>(
      this.source,
      `SELECT l.weight, l.concurrency, l.unfinished_jobs,
              (SELECT count(*)::int FROM jobs WHERE account_id = $1 AND state NOT IN ('completed', 'failed')
                  AND state <> 'discarded') AS unfinished,
              (SELECT count(*)::int FROM work_items WHERE account_id = $1 AND ${isWaiting('speech')}) +
              (SELECT count(*)::int FROM work_items WHERE account_id = $1 AND ${isWaiting('audio')}) AS waiting
         FROM (SELECT $1::uuid AS account_id) a LEFT JOIN account_limits l USING (account_id)`,
      [account_id],
    );
    return accept({ account_id, ...known! });
  }
}
