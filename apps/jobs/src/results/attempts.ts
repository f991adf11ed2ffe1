import type { EntityManager } from '@currawong/database';
import { Injectable, Logger } from '@nestjs/common';
import { Dispatcher } from '../dispatch/dispatcher';
import { afterLostAttempt, GAVE_UP_MESSAGE } from '../lifecycle/attempts';
import { REDIARIZATION_GAVE_UP } from '../lifecycle/rediarization';
import { applyEvent, applyRediarization, type JobRecord } from '../storage/job-records';
import { dropWork, recordFailure, type WorkOutline } from '../storage/work-records';

/** An attempt ended without a result: the work is tried again after a while, or the job is given up. Of a completed job only the telling apart of its speakers is. */
@Injectable()
export class Attempts {
  private readonly log = new Logger(Attempts.name);

  constructor(private readonly dispatcher: Dispatcher) {}

  /**
   * @param job under lock
   * @param item as it is under that lock, the attempt that counts
   * @returns the job where this decided its end, else null
   */
  async lost(
    manager: EntityManager,
    job: JobRecord,
    item: WorkOutline,
    reason: string,
  ): Promise<JobRecord | null> {
    const { again, failures } = afterLostAttempt(item.failures);
    this.log.warn(
      `attempt ${item.attempt} at ${item.stage} of job ${job.id} was lost (${failures}): ${reason}`,
    );
    if (again) {
      await this.dispatcher.later(manager, job, item, { failures, lastError: reason });
      return null;
    }
    await recordFailure(manager, item.id, failures, reason);
    await dropWork(manager, job.id);
    if (item.stage === 'rediarize') {
      await applyRediarization(manager, job, {
        ...{ kind: 'gave_up', itemId: item.id, errorMessage: REDIARIZATION_GAVE_UP },
      });
      return null;
    }
    return applyEvent(manager, job, { kind: 'gave_up', errorMessage: GAVE_UP_MESSAGE });
  }
}
