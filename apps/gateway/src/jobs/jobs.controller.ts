import { GetJob, ListJobs, type Owner } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { ApiKeyGuard, Caller } from '../http/caller';
import { parse } from '../http/parse';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { detail, listItem } from './job-body';
import { jobIdFrom } from './job-id';
import { ListQuery } from './list-query';
import { Transcripts } from './transcripts';

@Controller(versioned('jobs'))
@UseGuards(ApiKeyGuard)
export class JobsController {
  constructor(
    private readonly requester: Requester,
    private readonly transcripts: Transcripts,
  ) {}

  @Get()
  async list(@Caller() caller: Owner, @Query() query: unknown) {
    const { page, page_size, status } = parse(ListQuery, query);
    const { jobs, total } = valueOf(
      await this.requester.ask(ListJobs, { ...caller, page, page_size, ...(status ? { status } : {}) }),
    );
    return { jobs: jobs.map(listItem), total, page, page_size, total_pages: Math.ceil(total / page_size) };
  }

  @Get(':id')
  async get(@Caller() caller: Owner, @Param('id') id: string) {
    const job = valueOf(await this.requester.ask(GetJob, { ...caller, job_id: jobIdFrom(id) }));
    return detail(job, job.result_key === null ? null : await this.transcripts.read(job.result_key));
  }
}
