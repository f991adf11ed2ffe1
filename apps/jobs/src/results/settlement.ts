import { CaptureForJob, JobChanged, JobMoved, ReleaseForJob } from '@currawong/contracts';
import { Outbox, row, type EntityManager } from '@currawong/database';
import { Notices, Requester } from '@currawong/messaging';
import { crashPoint } from '@currawong/telemetry';
import { Injectable, Logger } from '@nestjs/common';
import { asEndedJob } from '../announcements/ended-job';
import { TestAllowance } from '../intake/test-allowance';
import { billableSeconds, CANCELLED_MESSAGE } from '../lifecycle/job';
import { jobCompletionRatio, jobsEnded, jobSeconds } from '../metrics/metrics';
import { secondsBetween } from '../metrics/spans-of-time';
import { applyEvent, lockSettlingJob, type JobRecord } from '../storage/job-records';

const NOT_PAID_FOR = 'There was not enough credit for the whole recording. Top up, then send it again.';

/**
 * From a decided outcome to a terminal state. Billing is asked under the job's lock, so that a job is settled by one
 * process at a time, and answers the same however often it is asked, so that a crash in here is mended by asking
 * again. Whoever sees `completed` also sees the charge.
 */
@Injectable()
export class Settlement {
  private readonly log = new Logger(Settlement.name);

  constructor(
    private readonly requester: Requester,
    private readonly outbox: Outbox,
    private readonly allowance: TestAllowance,
    private readonly notices: Notices,
  ) {}

  /** Does nothing for a job that is not settling, or that another process is settling now. */
  async settle(jobId: string): Promise<void> {
    const settled = await this.outbox.transaction(async (manager, send) => {
      const settling = await lockSettlingJob(manager, jobId);
      if (!settling) return undefined;
      const { job, costMicroAud } = await this.settleMoney(manager, settling);
      const finished = await applyEvent(manager, job, { kind: 'settled', costMicroAud });
      crashPoint(job.outcome === 'completed' ? 'settlement.captured' : 'settlement.released');
      if (!finished?.outcome || !finished.completed_at)
        throw new Error(`job ${jobId} was settled without its lock`);
      this.log.log(`job ${jobId} ${finished.outcome}, charged ${costMicroAud} micro-AUD`);
      await send(
        JobChanged,
        {
          job_id: finished.id,
          account_id: finished.account_id,
          status: finished.outcome,
          at: finished.completed_at.toISOString(),
          mode: finished.mode,
          ended: asEndedJob(finished),
        },
        { messageId: `${finished.id}:${finished.outcome}` },
      );
      return { ...finished, accepted_at: await acceptedAt(manager, jobId) };
    });
    if (!settled) return;
    this.notices.send(JobMoved, { job_id: jobId });
    count(settled);
  }

  /** @returns what was charged, and the job with the outcome that money left it */
  private async settleMoney(
    manager: EntityManager,
    job: JobRecord,
  ): Promise<{ job: JobRecord; costMicroAud: number }> {
    if (job.mode === 'test') return { job: await this.settleTest(manager, job), costMicroAud: 0 };
    if (job.outcome === 'failed') {
      await this.release(job);
      return { job, costMicroAud: 0 };
    }
    const captured = await this.requester.ask(CaptureForJob, {
      job_id: job.id,
      seconds: billableSeconds(job.duration_seconds ?? 0),
    });
    if (captured.ok) return { job, costMicroAud: captured.value.charged_micro_aud };
    // After a crash between the release and our commit the refusal is that the hold was released already.
    await this.release(job);
    const errorMessage =
      captured.refusal.code === 'insufficient_credit' ? captured.refusal.detail : NOT_PAID_FOR;
    return { job: await this.refuseCharge(manager, job, errorMessage), costMicroAud: 0 };
  }

  /** A recording that was longer than its container said must not take more than the day has left. */
  private async settleTest(manager: EntityManager, job: JobRecord): Promise<JobRecord> {
    if (job.outcome === 'failed') return job;
    const refusal = await this.allowance.correct(manager, job, billableSeconds(job.duration_seconds ?? 0));
    return refusal ? this.refuseCharge(manager, job, refusal.detail) : job;
  }

  private async refuseCharge(
    manager: EntityManager,
    job: JobRecord,
    errorMessage: string,
  ): Promise<JobRecord> {
    const refused = await applyEvent(manager, job, { kind: 'charge_refused', errorMessage });
    if (!refused) throw new Error(`job ${job.id} was settled without its lock`);
    return refused;
  }

  private async release(job: JobRecord): Promise<void> {
    const released = await this.requester.ask(ReleaseForJob, {
      account_id: job.account_id,
      job_id: job.id,
      reason: 'the job failed',
    });
    if (!released.ok) throw new Error(`billing would not release job ${job.id}: ${released.refusal.code}`);
  }
}

/** The first piece of work was made in the transaction that accepted the job. */
async function acceptedAt(manager: EntityManager, jobId: string): Promise<Date | null> {
  const first = await row<{ accepted_at: Date | null }>(
    manager,
    'SELECT min(created_at) AS accepted_at FROM work_items WHERE job_id = $1',
    [jobId],
  );
  return first?.accepted_at ?? null;
}

/** A ratio over a few seconds of audio would say more about the clock than about us. */
const SHORTEST_COUNTED_SECONDS = 60;

function count(settled: SettledJob): void {
  const { outcome, mode, accepted_at, completed_at, duration_seconds } = settled;
  // That somebody changed their mind is no failure of ours.
  const isCancelled = outcome === 'failed' && settled.error_message === CANCELLED_MESSAGE;
  jobsEnded.inc({ outcome: isCancelled ? 'cancelled' : (outcome ?? 'failed'), mode });
  if (outcome !== 'completed' || !accepted_at || !completed_at) return;
  const seconds = secondsBetween(accepted_at, completed_at);
  jobSeconds.observe({}, seconds);
  jobCompletionRatio.observe({}, seconds / Math.max(duration_seconds ?? 0, SHORTEST_COUNTED_SECONDS));
}

type SettledJob = JobRecord & { accepted_at: Date | null };
