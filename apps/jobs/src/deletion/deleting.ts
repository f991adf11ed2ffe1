import { accept, JobStopped, refuse, type Owner, type Result } from '@currawong/contracts';
import { DataSource, type EntityManager } from '@currawong/database';
import { Notices, settlesWithin } from '@currawong/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { Settlement } from '../results/settlement';
import {
  findDeletion,
  findOwnedDeletion,
  noteDeletion,
  wasRequestedWithin,
  type DeletionCause,
  type DeletionRecord,
} from '../storage/deletion-records';
import { freeKeys } from '../storage/idempotency-records';
import { applyEvent, findOwnedJob, lockJob, shortenUpload, type JobRecord } from '../storage/job-records';
import { dropWork } from '../storage/work-records';
import { Erasure } from './erasure';

/** How long the answer waits for the hold to be released; where billing is away the sweep releases it later. */
const SETTLE_WITHIN_MS = 2_000;
/** A client that heard no answer asks again within this; whoever asks later means it anew. */
const SAME_REQUEST_SECONDS = 60;

interface Decided {
  deletion: DeletionRecord;
  /** What this request has done; nothing where an earlier one had. */
  did: 'cancelled' | 'erased' | null;
}

/**
 * Cancels what is unfinished and erases what is finished. The decision is one transaction under the job's lock, beside
 * which everything else follows and is mended by the sweeps: the hold, the objects, whoever is still at it.
 *
 *   uploading, pending, processing   is cancelled: failed, not charged, still there to be read
 *   settling                         ends as was decided, charged or not, but is there for nobody from now on; then erased
 *   completed, failed                is there for nobody from now on, and is erased
 *   cancelled                        nothing, where it is not yet erased or it was within the last minute: it is the same
 *                                    request once more; later it is erased as any that has failed
 */
@Injectable()
export class Deleting {
  private readonly log = new Logger(Deleting.name);

  constructor(
    private readonly source: DataSource,
    private readonly notices: Notices,
    private readonly settlement: Settlement,
    private readonly erasure: Erasure,
    @Inject(JOBS_CONFIG) private readonly config: Pick<JobsConfig, 'UPLOAD_LEASE_SECONDS'>,
  ) {}

  /** For its owner; asked again it gives the same receipt. Refuses with `job_not_found`. */
  async delete(owner: Owner, jobId: string, cause: DeletionCause): Promise<Result<DeletionRecord>> {
    const decided = await this.source.transaction(async (manager) => {
      const owned = await findOwnedJob(manager, owner, jobId);
      if (owned) return this.decide(manager, jobId, cause);
      const deletion = await findOwnedDeletion(manager, owner, jobId);
      return deletion && { deletion, did: null };
    });
    if (!decided) return refuse('job_not_found');
    await this.follow(jobId, decided);
    return accept((await findDeletion(this.source, jobId)) ?? decided.deletion);
  }

  /**
   * For the service itself, which erases jobs whose time is over.
   * @param isDue asked under the job's lock: its account may keep it longer by now
   */
  async erase(
    jobId: string,
    reason: 'retention' | 'account_closed',
    isDue: (manager: EntityManager) => Promise<boolean>,
  ): Promise<void> {
    const cause = { reason, requested_by: 'service', key_id: null } as const;
    const decided = await this.source.transaction(async (manager) => {
      const job = await lockJob(manager, jobId);
      const isOver = job?.state === 'completed' || job?.state === 'failed';
      return isOver && job.deleted_at === null && (await isDue(manager))
        ? { deletion: await this.hide(manager, job, cause), did: 'erased' as const }
        : undefined;
    });
    if (decided) await this.follow(jobId, decided);
  }

  private async decide(
    manager: EntityManager,
    jobId: string,
    cause: DeletionCause,
  ): Promise<Decided | undefined> {
    const job = await lockJob(manager, jobId);
    if (!job || job.state === 'discarded') return undefined;
    const before = await findDeletion(manager, jobId);
    // Two that ask at once take turns here: the second finds what the first has done.
    const isSame =
      before &&
      (job.deleted_at !== null ||
        before.erased_at === null ||
        (await wasRequestedWithin(manager, jobId, SAME_REQUEST_SECONDS)));
    if (isSame) return { deletion: before, did: null };
    const cancelled = await applyEvent(manager, job, { kind: 'cancelled' });
    if (!cancelled) return { deletion: await this.hide(manager, job, cause), did: 'erased' };
    await dropWork(manager, jobId);
    if (job.state === 'uploading') {
      // An equal submission may have its key.
      await freeKeys(manager, jobId);
      await shortenUpload(manager, jobId, this.config.UPLOAD_LEASE_SECONDS);
    }
    return { deletion: await noteDeletion(manager, cancelled, cause, true), did: 'cancelled' };
  }

  /** From now on it is there for nobody; telling its speakers apart anew ends with it. */
  private async hide(manager: EntityManager, job: JobRecord, cause: DeletionCause): Promise<DeletionRecord> {
    await manager.query(
      `UPDATE jobs SET deleted_at = now(), changed_at = now(), diarization_item_id = NULL,
                       audio_erased_at = coalesce(audio_erased_at, now()) WHERE id = $1`,
      [job.id],
    );
    await dropWork(manager, job.id);
    return noteDeletion(manager, job, cause, false);
  }

  /** What is not done here, because a dependency or this process goes away, the sweeps do. */
  private async follow(jobId: string, { did }: Decided): Promise<void> {
    if (did === null) return;
    this.log.log(`job ${jobId} is ${did}`);
    this.notices.send(JobStopped, { job_id: jobId });
    if (did === 'cancelled') await this.settleSoon(jobId);
    this.erasure
      .look(jobId)
      .catch((error: unknown) => this.log.warn(`job ${jobId} is not erased yet: ${String(error)}`));
  }

  /** Waited for, so that who has the receipt finds the hold released as a rule. */
  private async settleSoon(jobId: string): Promise<void> {
    const settled = this.settlement
      .settle(jobId)
      .catch((error: unknown) =>
        this.log.warn(`cancelled job ${jobId} is left to the sweep to settle: ${String(error)}`),
      );
    await settlesWithin(settled, SETTLE_WITHIN_MS);
  }
}
