import {
  accept,
  FollowJobs,
  GetJob,
  ListJobs,
  LocateAudio,
  NameSpeakers,
  RediarizeJob,
  refuse,
  ShowJob,
  type JobView,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller, Inject } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { TEST_RECORDING_SECONDS } from '../lifecycle/job';
import { placeIn, secondsUntilDone, type Queue } from '../lifecycle/outlook';
import { jobProgress } from '../lifecycle/progress';
import {
  asJobView,
  findJob,
  findOwnedJob,
  findOwnedJobs,
  hasAudio,
  listOwnedJobs,
  nameSpeakers,
  type JobRecord,
  type Outlook,
} from '../storage/job-records';
import { workOfJob, workOfJobs, type WorkOutline } from '../storage/work-records';
import { CurrentQueue } from './queue';
import { Rediarizing } from './rediarizing';

/** What is known of jobs, and the names that customers give to voices in them. A job of another account, or of the other key mode, is not there. */
@Controller()
export class ReadingController {
  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly queue: CurrentQueue,
    private readonly rediarizing: Rediarizing,
  ) {}

  @Answers(GetJob)
  async get({ job_id, ...owner }: PayloadOf<typeof GetJob>): Promise<Result<ReplyOf<typeof GetJob>>> {
    const job = await findOwnedJob(this.source, owner, job_id);
    if (!job) return refuse('job_not_found');
    const [view] = await this.views([job]);
    return accept(view!);
  }

  /** For all who follow jobs at a gateway at once. */
  @Answers(FollowJobs)
  async follow({ jobs }: PayloadOf<typeof FollowJobs>): Promise<Result<ReplyOf<typeof FollowJobs>>> {
    return accept({ jobs: await this.views(await findOwnedJobs(this.source, jobs)) });
  }

  @Answers(ListJobs)
  async list({
    page,
    page_size,
    status,
    ...owner
  }: PayloadOf<typeof ListJobs>): Promise<Result<ReplyOf<typeof ListJobs>>> {
    const { jobs, total } = await listOwnedJobs(this.source, owner, { page, pageSize: page_size, status });
    return accept({ jobs: await this.views(jobs), total });
  }

  @Answers(NameSpeakers)
  async name({
    job_id,
    speaker_names,
    ...owner
  }: PayloadOf<typeof NameSpeakers>): Promise<Result<ReplyOf<typeof NameSpeakers>>> {
    const job = await nameSpeakers(this.source, owner, job_id, speaker_names);
    if (!job) return refuse('job_not_found');
    const [view] = await this.views([job]);
    return accept(view!);
  }

  @Answers(RediarizeJob)
  async rediarize({
    job_id,
    num_speakers,
    ...owner
  }: PayloadOf<typeof RediarizeJob>): Promise<Result<ReplyOf<typeof RediarizeJob>>> {
    const asked = await this.rediarizing.begin(owner, job_id, num_speakers);
    if (!asked.ok) return asked;
    const [view] = await this.views([asked.value]);
    return accept(view!);
  }

  @Answers(LocateAudio)
  async locateAudio({
    job_id,
    ...owner
  }: PayloadOf<typeof LocateAudio>): Promise<Result<ReplyOf<typeof LocateAudio>>> {
    const job = await findOwnedJob(this.source, owner, job_id);
    if (!job) return refuse('job_not_found');
    if (!hasAudio(job)) return refuse('audio_not_found');
    return accept({ source_key: job.source_key, original_filename: job.original_filename });
  }

  @Answers(ShowJob)
  async show({ job_id }: PayloadOf<typeof ShowJob>): Promise<Result<ReplyOf<typeof ShowJob>>> {
    const job = await findJob(this.source, job_id);
    if (!job) return refuse('job_not_found');
    return accept({
      job: { ...job },
      work: (await workOfJob(this.source, job_id)).map((item) => ({ ...item })),
    });
  }

  /** Only jobs that wait or are being worked on have something to look up. */
  private async views(jobs: JobRecord[]): Promise<JobView[]> {
    const open = jobs.filter(({ state }) => state === 'pending' || state === 'processing');
    if (open.length === 0) return jobs.map((job) => asJobView(job, job.state === 'settling' ? 1 : 0));
    const ids = open.map((job) => job.id);
    const [items, queue] = await Promise.all([workOfJobs(this.source, ids), this.queue.now()]);
    const itemsOf = Map.groupBy(items, (item) => item.job_id);
    return jobs.map((job) => {
      const own = itemsOf.get(job.id) ?? [];
      const progress =
        job.state === 'settling' ? 1 : job.state === 'processing' ? jobProgress(own, job.chunks) : 0;
      return asJobView(
        job,
        progress,
        open.includes(job) ? this.outlook(job, own, progress, queue) : undefined,
      );
    });
  }

  private outlook(job: JobRecord, items: WorkOutline[], progress: number, queue: Queue): Outlook {
    const queued = items
      .filter(({ state }) => state === 'queued')
      .map(({ created_at }) => created_at.getTime());
    const isWaiting = queued.length > 0 && items.every(({ state }) => state !== 'running');
    const place =
      queued.length > 0
        ? placeIn(queue, { id: job.id, accountId: job.account_id, createdAtMs: Math.min(...queued) })
        : { waitingBefore: 0, secondsBefore: 0 };
    const { slots, speed } = queue;
    const lengthSeconds = job.duration_seconds ?? job.held_seconds ?? 0;
    const heardSeconds =
      job.mode === 'test' ? Math.min(lengthSeconds, TEST_RECORDING_SECONDS) : lengthSeconds;
    const untilDone =
      speed === null || slots === 0
        ? null
        : secondsUntilDone({
            ...{ slots, speed, chunkSeconds: this.config.CHUNK_SECONDS },
            aheadSeconds: place.secondsBefore,
            ownSeconds: heardSeconds * (1 - progress),
          });
    return {
      position: isWaiting ? place.waitingBefore + 1 : null,
      completionAt: untilDone === null ? null : new Date(Date.now() + untilDone * 1_000),
    };
  }
}
