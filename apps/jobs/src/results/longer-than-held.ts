import { HoldForJob } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import { Injectable } from '@nestjs/common';
import { billableSeconds, priceOptionOf } from '../lifecycle/job';
import { findJob, raiseHeldSeconds } from '../storage/job-records';

/**
 * A recording that turns out longer than its container said needs a larger hold before more work goes into it. (What
 * was done in one go is refused at its capture instead.)
 */
@Injectable()
export class LongerThanHeld {
  constructor(
    private readonly source: DataSource,
    private readonly requester: Requester,
  ) {}

  /** @returns the text for the client where the account cannot pay for so many seconds, else null */
  async refusal(jobId: string, durationSeconds: number): Promise<string | null> {
    const job = await findJob(this.source, jobId);
    const seconds = billableSeconds(durationSeconds);
    if (job?.mode !== 'live' || job.state !== 'processing' || seconds <= (job.held_seconds ?? 0)) return null;
    const held = await this.requester.ask(HoldForJob, {
      account_id: job.account_id,
      job_id: jobId,
      seconds,
      option: priceOptionOf(job),
      key_id: job.key_id,
    });
    if (held.ok) {
      await raiseHeldSeconds(this.source, jobId, held.value.held_seconds);
      return null;
    }
    if (held.refusal.code === 'insufficient_credit') return held.refusal.detail;
    throw new Error(`billing would not raise the hold of job ${jobId}: ${held.refusal.code}`);
  }
}
