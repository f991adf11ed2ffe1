import { refuse, type Refusal } from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { TEST_RECORDING_SECONDS } from '../lifecycle/job';
import type { JobRecord } from '../storage/job-records';

const TODAY = "(now() AT TIME ZONE 'Australia/Sydney')::date";

/**
 * How much audio the test keys of an account may have transcribed in a day. Nothing is counted up or down: what is used
 * is the sum over the day's jobs, and a job that fails or is discarded is no longer among them.
 */
@Injectable()
export class TestAllowance {
  private readonly secondsPerDay: number;

  constructor(
    @Inject(JOBS_CONFIG) config: JobsConfig,
    private readonly source: DataSource,
  ) {
    this.secondsPerDay = config.TEST_SECONDS_PER_DAY;
  }

  /** Before any byte is read: null while anything is left at all. */
  async refusalBefore(accountId: string): Promise<Refusal | null> {
    const used = await this.usedSeconds(this.source, accountId);
    return used < this.secondsPerDay ? null : this.refusal(used, null);
  }

  /**
   * Takes a job's seconds from what is left today, all of them or none.
   * @param manager of the transaction that accepts the job, which it holds locked
   */
  async take(manager: EntityManager, job: JobRecord, seconds: number): Promise<Refusal | null> {
    await this.takeTurn(manager, job.account_id);
    const used = await this.usedSeconds(manager, job.account_id);
    if (used + seconds > this.secondsPerDay) return this.refusal(used, seconds);
    await manager.query(`UPDATE jobs SET test_seconds = $2, test_day = ${TODAY} WHERE id = $1`, [
      job.id,
      seconds,
    ]);
    return null;
  }

  /**
   * Puts what was really heard in the place of what the container had promised.
   * @param manager of the transaction that settles the job, which it holds locked
   */
  async correct(manager: EntityManager, job: JobRecord, heardSeconds: number): Promise<Refusal | null> {
    const seconds = Math.min(heardSeconds, TEST_RECORDING_SECONDS);
    const moreSeconds = seconds - (job.test_seconds ?? seconds);
    if (moreSeconds > 0) {
      await this.takeTurn(manager, job.account_id);
      const used = await this.usedSeconds(manager, job.account_id, job.id);
      if (used + moreSeconds > this.secondsPerDay)
        return this.refusal(used - (job.test_seconds ?? 0), seconds);
    }
    if (moreSeconds !== 0)
      await manager.query('UPDATE jobs SET test_seconds = $2 WHERE id = $1', [job.id, seconds]);
    return null;
  }

  /** Test jobs of one account are counted one after the other; the lock goes with the transaction. */
  private async takeTurn(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query("SELECT pg_advisory_xact_lock(hashtextextended('test allowance ' || $1, 0))", [
      accountId,
    ]);
  }

  /** Of today, or of the day of a given job. */
  private async usedSeconds(
    on: DataSource | EntityManager,
    accountId: string,
    jobId?: string,
  ): Promise<number> {
    const day = jobId === undefined ? TODAY : '(SELECT test_day FROM jobs WHERE id = $2)';
    const counted = await row<{ seconds: number }>(
      on,
      `SELECT coalesce(sum(test_seconds), 0)::int AS seconds FROM jobs
        WHERE account_id = $1 AND test_day = ${day} AND state NOT IN ('uploading', 'discarded')
          AND outcome IS DISTINCT FROM 'failed'`,
      jobId === undefined ? [accountId] : [accountId, jobId],
    );
    return counted!.seconds;
  }

  private refusal(usedSeconds: number, neededSeconds: number | null): Refusal {
    const left = Math.max(0, this.secondsPerDay - usedSeconds);
    const needed = neededSeconds === null ? '' : `, and this recording needs ${minutes(neededSeconds)}`;
    return refuse(
      'test_allowance_used',
      `The test keys of this account have used ${minutes(usedSeconds)} of the ${minutes(this.secondsPerDay)} of audio that they have a day: ${minutes(left)} is left${needed}. Use a live key, or wait until midnight in Sydney.`,
    ).refusal;
  }
}

/** `29 min 30 s` */
function minutes(seconds: number): string {
  const [whole, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (whole === 0) return `${rest} s`;
  return rest === 0 ? `${whole} min` : `${whole} min ${rest} s`;
}
