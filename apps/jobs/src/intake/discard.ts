import { JobStopped, objectKeys, ReleaseForJob } from '@currawong/contracts';
import { DataSource, type EntityManager } from '@currawong/database';
import { Notices, Requester } from '@currawong/messaging';
import { ObjectStore } from '@currawong/object-store';
import { crashPoint } from '@currawong/telemetry';
import { Injectable, Logger } from '@nestjs/common';
import { freeKeys, isShared } from '../storage/idempotency-records';
import { applyEvent, findJob, isAbandonedUpload, lockJob, type JobRecord } from '../storage/job-records';
import { dropWork } from '../storage/work-records';

/**
 * Undoes a submission whose client was not told 200. The row is marked first, which hides the job from everybody and
 * keeps anything from bringing it back; the rest is undone at once and, where that fails, by the sweep. The row itself
 * goes a day later: whoever was at the job may store something until then, which would be nobody's without it.
 */
@Injectable()
export class Discard {
  private readonly log = new Logger(Discard.name);

  constructor(
    private readonly source: DataSource,
    private readonly store: ObjectStore,
    private readonly requester: Requester,
    private readonly notices: Notices,
  ) {}

  /** @returns whether this discarded it: false for a job that has ended, that was discarded before, or that others were told of */
  discard(jobId: string): Promise<boolean> {
    return this.discardWhere(jobId, () => Promise.resolve(true));
  }

  /**
   * Of an upload of which nothing was heard for too long. Whoever found it did not hold it: meanwhile it may have been heard
   * of, or been accepted and its client told so.
   */
  abandon(jobId: string): Promise<boolean> {
    return this.discardWhere(jobId, (manager) => isAbandonedUpload(manager, jobId));
  }

  private async discardWhere(
    jobId: string,
    isToGo: (manager: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    const discarded = await this.source.transaction(async (manager) => {
      const job = await lockJob(manager, jobId);
      if (!(await isToGo(manager))) return null;
      // Its receipt was given to an equal request as well, which was told 200.
      if (!job || (await isShared(manager, jobId))) return null;
      const marked = await applyEvent(manager, job, { kind: 'discarded' });
      if (!marked) return null;
      await dropWork(manager, jobId);
      await freeKeys(manager, jobId);
      return { wasAccepted: job.state !== 'uploading' };
    });
    if (!discarded) return false;
    // A worker may be at it. Of an upload its gateway knows by itself.
    if (discarded.wasAccepted) this.notices.send(JobStopped, { job_id: jobId });
    crashPoint('discard.marked');
    this.undo(jobId).catch((error: unknown) =>
      this.log.warn(`discarded job ${jobId} is left to the sweep: ${String(error)}`),
    );
    return true;
  }

  /** Gives the hold back and deletes every object; may be repeated. */
  async undo(jobId: string): Promise<void> {
    const job = await findJob(this.source, jobId);
    if (job?.state !== 'discarded') return;
    if (job.mode === 'live') await this.release(job);
    crashPoint('discard.released');
    // A gateway that died in the middle left the parts that it had stored.
    await this.store.janitor({ olderThanSeconds: 0, prefix: job.source_key });
    await this.store.delete(job.source_key);
    await this.store.deletePrefix(objectKeys.workPrefix(job.id));
    await this.store.deletePrefix(objectKeys.resultPrefix(job.id));
    crashPoint('discard.deleted');
    await this.source.query('UPDATE jobs SET cleared_at = now() WHERE id = $1', [jobId]);
  }

  /** The last act: called once nothing can be under way for the job any more. */
  async erase(jobId: string): Promise<void> {
    await this.undo(jobId);
    await this.source.query("DELETE FROM jobs WHERE id = $1 AND state = 'discarded'", [jobId]);
  }

  private async release(job: JobRecord): Promise<void> {
    const released = await this.requester.ask(ReleaseForJob, {
      account_id: job.account_id,
      job_id: job.id,
      reason: 'submission discarded',
    });
    if (!released.ok) throw new Error(`billing would not release job ${job.id}: ${released.refusal.code}`);
  }
}
