import { accept, refuse, type Owner, type Result } from '@currawong/contracts';
import { Outbox } from '@currawong/database';
import { Injectable, Logger } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Dispatcher } from '../dispatch/dispatcher';
import { rediarizationRefusal } from '../lifecycle/rediarization';
import { applyRediarization, findOwnedJob, lockJob, type JobRecord } from '../storage/job-records';

/** Has the speakers of a completed job told apart anew, from what was noted of its voices. Free: billing is not asked. */
@Injectable()
export class Rediarizing {
  private readonly log = new Logger(Rediarizing.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** @returns the job with the work under way, or why there is none to be done */
  begin(owner: Owner, jobId: string, numSpeakers: number | null): Promise<Result<JobRecord>> {
    return this.outbox.transaction(async (manager, send): Promise<Result<JobRecord>> => {
      const owned = await findOwnedJob(manager, owner, jobId);
      // Two that ask at once take turns here: the second finds the first under way.
      const job = owned && (await lockJob(manager, jobId));
      if (!job || job.deleted_at !== null) return refuse('job_not_found');
      const refusal = rediarizationRefusal(job);
      if (refusal) return refuse(refusal);
      const itemId = uuidv7();
      const asked = await applyRediarization(manager, job, { kind: 'asked', itemId, numSpeakers });
      if (!asked) return refuse('diarization_pending');
      await this.dispatcher.rediarize(manager, send, asked, itemId);
      this.log.log(`the speakers of job ${jobId} are told apart anew, as ${numSpeakers ?? 'any number'}`);
      return accept(asked);
    });
  }
}
