import { GetJob, ListJobs, type LegacyStatus, type Owner, type QueueStatus } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { Caller, CallerGuard } from '../http/caller';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { jobIdFrom } from '../jobs/job-id';

/** What clients of the older service still ask. */
@Controller()
@UseGuards(CallerGuard)
export class LegacyController {
  constructor(private readonly requester: Requester) {}

  @Get(['queue/status', ...versioned('queue/status')])
  async queue(@Caller() caller: Owner): Promise<z.infer<typeof QueueStatus>> {
    const [pending, processing] = await Promise.all([
      this.count(caller, 'pending'),
      this.count(caller, 'processing'),
    ]);
    return { status: 'ok', pending, processing };
  }

  @Get(['status/:id', ...versioned('status/:id')])
  async status(@Caller() caller: Owner, @Param('id') id: string): Promise<z.infer<typeof LegacyStatus>> {
    const { status } = valueOf(await this.requester.ask(GetJob, { ...caller, job_id: jobIdFrom(id) }));
    return { status: status === 'completed' ? 'COMPLETE' : upperCase(status) };
  }

  private async count(caller: Owner, status: 'pending' | 'processing'): Promise<number> {
    return valueOf(await this.requester.ask(ListJobs, { ...caller, page: 1, page_size: 1, status })).total;
  }
}

function upperCase<S extends string>(text: S): Uppercase<S> {
  return text.toUpperCase() as Uppercase<S>;
}
