import {
  DiarizationRequest,
  GetJob,
  JobChange,
  ListJobs,
  NameSpeakers,
  RediarizeJob,
  type JobDetail,
  type JobList,
  type JobView,
  type Owner,
} from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, HttpCode, Param, Patch, Post, Query, UseGuards } from '@nestjs/common';
import { Caller, CallerGuard } from '../http/caller';
import { JsonBody } from '../http/json-body';
import { parse } from '../http/parse';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { detail, listItem } from './job-body';
import { jobIdFrom } from './job-id';
import { JobQuery } from './job-query';
import { ListQuery } from './list-query';
import { Transcripts } from './transcripts';
import { unlessGone } from './unless-gone';

@Controller(versioned('jobs'))
@UseGuards(CallerGuard)
export class JobsController {
  constructor(
    private readonly requester: Requester,
    private readonly transcripts: Transcripts,
  ) {}

  @Get()
  async list(@Caller() caller: Owner, @Query() query: unknown): Promise<JobList> {
    const { page, page_size, status } = parse(ListQuery, query);
    const { jobs, total } = valueOf(
      await this.requester.ask(ListJobs, { ...caller, page, page_size, ...(status ? { status } : {}) }),
    );
    return { jobs: jobs.map(listItem), total, page, page_size, total_pages: Math.ceil(total / page_size) };
  }

  @Get(':id')
  async get(@Caller() caller: Owner, @Param('id') id: string, @Query() query: unknown): Promise<JobDetail> {
    const { words } = parse(JobQuery, query);
    const job = valueOf(await this.requester.ask(GetJob, { ...caller, job_id: jobIdFrom(id) }));
    return this.detailOf(caller, job, words !== undefined);
  }

  @Patch(':id')
  async change(
    @Caller() caller: Owner,
    @Param('id') id: string,
    @JsonBody(JobChange) { speaker_names }: JobChange,
  ): Promise<JobDetail> {
    const job = await this.requester.ask(NameSpeakers, { ...caller, job_id: jobIdFrom(id), speaker_names });
    return this.detailOf(caller, valueOf(job), false);
  }

  /** Tells the speakers apart anew, from what was noted of their voices; the words stay. */
  @Post(':id/diarization')
  @HttpCode(202)
  async rediarize(
    @Caller() caller: Owner,
    @Param('id') id: string,
    @JsonBody(DiarizationRequest) { num_speakers }: DiarizationRequest,
  ): Promise<JobDetail> {
    const job = await this.requester.ask(RediarizeJob, { ...caller, job_id: jobIdFrom(id), num_speakers });
    return this.detailOf(caller, valueOf(job), false);
  }

  private async detailOf(caller: Owner, job: JobView, withWords: boolean): Promise<JobDetail> {
    const { id, result_key } = job;
    if (result_key === null) return detail(job, null);
    const reading = withWords ? this.transcripts.readWhole(result_key) : this.transcripts.read(result_key);
    return detail(job, await unlessGone(this.requester, caller, id, reading));
  }
}
