import {
  accept,
  GetJob,
  ListJobs,
  LocateAudio,
  NameSpeakers,
  refuse,
  ShowJob,
  type JobView,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { jobProgress } from '../lifecycle/progress';
import {
  asJobView,
  findJob,
  findOwnedJob,
  hasAudio,
  listOwnedJobs,
  nameSpeakers,
  type JobRecord,
} from '../storage/job-records';
import { workOfJob, workOfJobs } from '../storage/work-records';

/** What is known of jobs, and the names that customers give to voices in them. A job of another account, or of the other key mode, is not there. */
@Controller()
export class ReadingController {
  constructor(private readonly source: DataSource) {}

  @Answers(GetJob)
  async get({ job_id, ...owner }: PayloadOf<typeof GetJob>): Promise<Result<ReplyOf<typeof GetJob>>> {
    const job = await findOwnedJob(this.source, owner, job_id);
    if (!job) return refuse('job_not_found');
    const [view] = await this.views([job]);
    return accept(view!);
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

  /** Only jobs that are being worked on have progress to look up. */
  private async views(jobs: JobRecord[]): Promise<JobView[]> {
    const working = jobs.filter((job) => job.state === 'processing').map((job) => job.id);
    const items = working.length > 0 ? await workOfJobs(this.source, working) : [];
    const itemsOf = Map.groupBy(items, (item) => item.job_id);
    return jobs.map((job) =>
      asJobView(job, job.state === 'settling' ? 1 : jobProgress(itemsOf.get(job.id) ?? [], job.chunks)),
    );
  }
}
