import { accept, CheckBillingReady, CheckLedger, type ReplyOf, type Result } from '@currawong/contracts';
import { DataSource, row, rows } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { checkBooksReadable } from '../storage/database';
import { RULES } from './rules';

type Findings = ReplyOf<typeof CheckLedger>;

/** An answer must fit into one message; the first thousands say enough about books in such a state. */
const PROBLEMS_PER_RULE = 200;
const OPEN_HOLDS_LISTED = 4_000;

/** Recomputes the books from the journal. It reads one snapshot, so that bookings going on beside it are no problems. */
@Controller()
export class ChecksController {
  constructor(private readonly source: DataSource) {}

  @Answers(CheckBillingReady)
  async checkReady(): Promise<Result<Record<string, never>>> {
    await checkBooksReadable(this.source);
    return accept({});
  }

  @Answers(CheckLedger)
  async check(): Promise<Result<Findings>> {
    return this.source.transaction('REPEATABLE READ', async (manager) => {
      await manager.query(`SET TRANSACTION READ ONLY`);
      // It reads every row there is, which may take longer than a request of the hot path is allowed.
      await manager.query(`SET LOCAL statement_timeout = '10min'`);
      const problems: string[] = [];
      for (const rule of RULES) {
        const found = await rows<{ problem: string }>(manager, `${rule.sql} LIMIT ${PROBLEMS_PER_RULE + 1}`);
        problems.push(...found.slice(0, PROBLEMS_PER_RULE).map(({ problem }) => problem));
        if (found.length > PROBLEMS_PER_RULE)
          problems.push(`There is more against the rule that ${rule.name}.`);
      }
      const counted = await row<{ entries: number; accounts: number; open_holds_total: number }>(
        manager,
        COUNTS_SQL,
      );
      const openHolds = await rows<{ job_id: string; account_id: string; seconds: string }>(
        manager,
        OPEN_HOLDS_SQL,
      );
      return accept({
        ...counted!,
        open_holds: openHolds.map((hold) => ({ ...hold, seconds: Number(hold.seconds) })),
        problems,
      });
    });
  }
}

const COUNTS_SQL = `
  SELECT (SELECT count(*) FROM entries)::int AS entries, (SELECT count(*) FROM balances)::int AS accounts,
         (SELECT count(*) FROM holds WHERE state = 'pending')::int AS open_holds_total`;

/** Oldest first: an open hold of a job that ended long ago is the one to look for. */
const OPEN_HOLDS_SQL = `
  SELECT job_id, account_id, free_seconds + paid_seconds AS seconds
    FROM holds WHERE state = 'pending' ORDER BY placed_at LIMIT ${OPEN_HOLDS_LISTED}`;
