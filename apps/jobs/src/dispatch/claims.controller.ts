import {
  accept,
  ClaimWork,
  GiveBackWork,
  JobMoved,
  JobStopped,
  WorkProgress,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Outbox, DataSource } from '@currawong/database';
import { Answers, Hears, Notices } from '@currawong/messaging';
import { Controller, Inject } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { stageSeconds, stageWaitSeconds } from '../metrics/metrics';
import { secondsBetween, secondsSinceClaim } from '../metrics/spans-of-time';
import { findDeletion } from '../storage/deletion-records';
import { applyEvent, findJob, lockJob } from '../storage/job-records';
import { claimWork, findWork, renewLease } from '../storage/work-records';
import { Dispatcher } from './dispatcher';
import { Releases } from './releases';

/** What workers say about the work they have: mine now, still at it, have it back. */
@Controller()
export class ClaimsController {
  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly outbox: Outbox,
    private readonly dispatcher: Dispatcher,
    private readonly notices: Notices,
    private readonly releases: Releases,
  ) {}

  @Answers(ClaimWork)
  async claim({
    worker,
    ...reference
  }: PayloadOf<typeof ClaimWork>): Promise<Result<ReplyOf<typeof ClaimWork>>> {
    const lease_seconds = this.config.WORK_LEASE_SECONDS;
    const item = await this.source.transaction(async (manager) => {
      const job = await lockJob(manager, reference.job_id);
      // A completed job has no work but that of telling its speakers apart anew.
      const isOpen = job?.state === 'pending' || job?.state === 'processing';
      if (!job || !(isOpen || job.diarization_item_id === reference.item_id)) return undefined;
      const claimed = await claimWork(manager, reference, worker, lease_seconds);
      if (claimed && isOpen) await applyEvent(manager, job, { kind: 'claimed' });
      return claimed;
    });
    // What was claimed lies no longer in the stream.
    this.releases.nudge();
    if (item?.is_newly_claimed) this.notices.send(JobMoved, { job_id: item.job_id });
    if (item?.is_newly_claimed && item.started_at)
      stageWaitSeconds.observe({ stage: item.stage }, secondsBetween(item.queued_at, item.started_at));
    return accept(item ? { claimed: true, attempt: item.attempt, lease_seconds } : { claimed: false });
  }

  @Hears(WorkProgress, { queue: 'jobs' })
  async progress({ fraction, ...reference }: PayloadOf<typeof WorkProgress>): Promise<void> {
    if (await renewLease(this.source, reference, fraction, this.config.WORK_LEASE_SECONDS)) return;
    // It did not hear that the job was cancelled, deleted or discarded, or stood still meanwhile.
    const item = await findWork(this.source, reference.item_id);
    if (item && item.state !== 'dropped') return;
    const job = await findJob(this.source, reference.job_id);
    const isOver = !job || job.state === 'discarded' || (await findDeletion(this.source, job.id));
    if (isOver) this.notices.send(JobStopped, { job_id: reference.job_id });
  }

  @Answers(GiveBackWork)
  async giveBack(reference: PayloadOf<typeof GiveBackWork>): Promise<Result<ReplyOf<typeof GiveBackWork>>> {
    const given = await this.outbox.transaction(async (manager, send) => {
      const job = await lockJob(manager, reference.job_id);
      const item = await findWork(manager, reference.item_id);
      if (!job || item?.attempt !== reference.attempt || item.state !== 'running') return undefined;
      await this.dispatcher.again(manager, send, job, item, {
        lastError: 'given back unfinished: the worker shut down, or the store or the broker was away',
      });
      return item;
    });
    if (given) stageSeconds.observe({ stage: given.stage, outcome: 'given_back' }, secondsSinceClaim(given));
    return accept({});
  }
}
