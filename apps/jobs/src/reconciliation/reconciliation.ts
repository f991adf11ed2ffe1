import { DescribeHolds, ListOpenHolds, type HoldView, type Result } from '@currawong/contracts';
import { DataSource, rows } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { differenceOf, type ComparedJob, type Difference } from './difference';
import { showDifferences } from './metrics';

/** As many as billing describes at once. */
const PAGE = 500;
/** Of the jobs that were found right before, so many pages are looked at again in each round. */
const OLD_PAGES = 4;
const NAMED_IN_LOG = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const COLUMNS = 'id, account_id, mode, state, cost_micro_aud';

type Found = Map<string, Difference>;

/**
 * Compares the jobs with what billing has set aside and charged for them, in both directions. A round looks at every
 * open hold, every job that has not been found right since it ended, and, a few pages at a time and round and round, at
 * all the others: a store that was put back to an older copy shows in those. What differs in one round may be work
 * under way between the two; what still differs in the next is shown and logged. Nothing is mended here.
 */
@Injectable()
export class Reconciliation {
  private readonly log = new Logger(Reconciliation.name);
  private before: Found = new Map();
  private standing: Found = new Map();
  private oldAfterId = FIRST_ID;

  constructor(
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly source: DataSource,
    private readonly requester: Requester,
  ) {}

  async sweep(): Promise<void> {
    const found: Found = new Map();
    await this.compareOpenHolds(found);
    await this.compareUnsettledJobs(found);
    await this.compareOldJobs(found);
    // Wherever in the history it was found, a suspicion is looked into again in the round that follows.
    await this.compareJobs(
      [...this.before.keys()].filter((id) => !found.has(id)),
      found,
    );
    const standing = new Map([...found].filter(([id]) => this.before.has(id)));
    this.report(standing);
    this.before = found;
    this.standing = standing;
    showDifferences(standing.values());
  }

  private async compareOpenHolds(found: Found): Promise<void> {
    let after_job_id: string | null = null;
    for (;;) {
      const holds: HoldView[] = valueOf(
        await this.requester.ask(ListOpenHolds, {
          // Younger ones are work under way; they are compared when they are older, or from their job's side.
          older_than_seconds: this.config.RECONCILE_INTERVAL_SECONDS,
          after_job_id,
          limit: PAGE,
        }),
      ).holds;
      const jobs = await this.jobsNamed(holds.map((hold) => hold.job_id));
      for (const hold of holds) note(found, hold.job_id, differenceOf(jobs.get(hold.job_id), hold));
      if (holds.length < PAGE) return;
      after_job_id = holds.at(-1)!.job_id;
    }
  }

  /** Those that have not ended, and those that have and were not found right yet. */
  private async compareUnsettledJobs(found: Found): Promise<void> {
    let afterId = FIRST_ID;
    for (;;) {
      const jobs = await this.jobsAfter(afterId, 'reconciled_at IS NULL');
      const right = await this.compare(jobs, found);
      await this.source.query(
        `UPDATE jobs SET reconciled_at = now() WHERE id = ANY($1) AND state IN ('completed', 'failed')`,
        [right.filter(({ state }) => state === 'completed' || state === 'failed').map(({ id }) => id)],
      );
      if (jobs.length < PAGE) return;
      afterId = jobs.at(-1)!.id;
    }
  }

  private async compareOldJobs(found: Found): Promise<void> {
    for (let page = 0; page < OLD_PAGES; page++) {
      const jobs = await this.jobsAfter(this.oldAfterId, 'reconciled_at IS NOT NULL');
      await this.compare(jobs, found);
      this.oldAfterId = jobs.length < PAGE ? FIRST_ID : jobs.at(-1)!.id;
      if (jobs.length < PAGE) return;
    }
  }

  private async compareJobs(ids: string[], found: Found): Promise<void> {
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = ids.slice(at, at + PAGE);
      const jobs = await this.jobsNamed(page);
      const holds = await this.holdsOf(page);
      for (const id of page) note(found, id, differenceOf(jobs.get(id), holds.get(id)));
    }
  }

  /** Each is logged once; the gauge shows it for as long as it stands. */
  private report(standing: Found): void {
    const fresh = [...standing].filter(([id, kind]) => this.standing.get(id) !== kind);
    for (const [kind, same] of Map.groupBy(fresh, ([, difference]) => difference)) {
      const ids = same.map(([id]) => id);
      const rest = ids.length > NAMED_IN_LOG ? ` and ${ids.length - NAMED_IN_LOG} more` : '';
      this.log.error(`billing and jobs differ (${kind}): ${ids.slice(0, NAMED_IN_LOG).join(', ')}${rest}`);
    }
  }

  /** @returns the jobs that billing agrees with */
  private async compare(jobs: ComparedJob[], found: Found): Promise<ComparedJob[]> {
    if (jobs.length === 0) return [];
    const holds = await this.holdsOf(jobs.map(({ id }) => id));
    return jobs.filter((job) => {
      const difference = differenceOf(job, holds.get(job.id));
      note(found, job.id, difference);
      return difference === null;
    });
  }

  private jobsAfter(afterId: string, which: string): Promise<ComparedJob[]> {
    return rows<ComparedJob>(
      this.source,
      `SELECT ${COLUMNS} FROM jobs WHERE mode = 'live' AND ${which} AND id > $1 ORDER BY id LIMIT ${PAGE}`,
      [afterId],
    );
  }

  private async jobsNamed(ids: string[]): Promise<Map<string, ComparedJob>> {
    const jobs = await rows<ComparedJob>(this.source, `SELECT ${COLUMNS} FROM jobs WHERE id = ANY($1)`, [
      ids,
    ]);
    return new Map(jobs.map((job) => [job.id, job]));
  }

  private async holdsOf(ids: string[]): Promise<Map<string, HoldView>> {
    const { holds } = valueOf(await this.requester.ask(DescribeHolds, { job_ids: ids }));
    return new Map(holds.map((hold) => [hold.job_id, hold]));
  }
}

function note(found: Found, id: string, difference: Difference | null): void {
  if (difference) found.set(id, difference);
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`billing would not tell of its holds: ${result.refusal.detail}`);
  return result.value;
}
