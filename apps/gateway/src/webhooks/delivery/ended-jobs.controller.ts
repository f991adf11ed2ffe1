import { JobChanged, type PayloadOf } from '@currawong/contracts';
import { Consumes, done, type Outcome } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { EndedJobs } from './ended-jobs';

/** Hears of the ends of jobs as they are published. */
@Controller()
export class EndedJobsController {
  constructor(private readonly endedJobs: EndedJobs) {}

  @Consumes({ durable: 'webhooks-job-changed', contracts: JobChanged, slots: 8 })
  async jobChanged({ ended }: PayloadOf<typeof JobChanged>): Promise<Outcome> {
    if (ended) await this.endedJobs.keep([ended]);
    return done();
  }
}
