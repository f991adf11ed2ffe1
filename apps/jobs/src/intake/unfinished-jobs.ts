import { refuse, type Refusal } from '@currawong/contracts';
import { row, type DataSource } from '@currawong/database';

/**
 * Whether an account has as many jobs that have not ended as it may have. Counted no further than that, over an index; uploads at
 * the same moment may all find the last place free, which the limit is generous enough for.
 *
 * @param limit of accounts for which none is set
 */
export async function tooManyUnfinished(
  source: DataSource,
  accountId: string,
  limit: number,
): Promise<Refusal | null> {
  const found = await row<{ unfinished: number; allowed: number }>(
    source,
    `WITH a AS (
       SELECT coalesce((SELECT unfinished_jobs FROM account_limits WHERE account_id = $1), $2::int) AS allowed
     )
     SELECT allowed, (SELECT count(*)::int FROM (
              SELECT FROM jobs WHERE account_id = $1 AND state NOT IN ('completed', 'failed') AND state <> 'discarded'
               LIMIT a.allowed) unfinished) AS unfinished
       FROM a`,
    [accountId, limit],
  );
  if (!found || found.unfinished < found.allowed) return null;
  return refuse(
    'too_many_jobs',
    `This account has ${found.allowed} unfinished jobs, which is as many as it may have. Wait until some have ended, then send the recording again.`,
  ).refusal;
}
