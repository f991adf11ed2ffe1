import { objectKeys, type ErasedKind } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { ObjectStore, type ObjectVersion } from '@currawong/object-store';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import type { JobState } from '../lifecycle/job';
import { bytesErased, objectsErased } from '../metrics/metrics';
import { claimLook, type DeletionRecord, type ErasedObjects } from '../storage/deletion-records';
import { findJob, type JobRecord } from '../storage/job-records';

/**
 * When the store is asked once more, after each time that it confirmed that nothing is left; seconds. Whoever was at the
 * job may store something after it was deleted: a part that was on its way, a worker that stood still and did not hear of
 * it. The first pauses are longer than a request to the store lasts, and than an attempt at a piece of work as a rule; the
 * last is longer than any machine stands still that is then of use again. Of an upload that went to the store directly the
 * last look comes after its addresses have expired, however long they were good.
 */
const LOOK_AGAIN_AFTER_SECONDS = [60, 600, 86_400];
/** While a job is being settled it may still be given a text; while an upload has its lease, bytes may still arrive. */
const UNREST_PAUSE_SECONDS = 10;

/** Deletes what is stored of a deleted job, and says so only once the store has been asked whether anything is left. */
@Injectable()
export class Erasure {
  private readonly log = new Logger(Erasure.name);

  constructor(
    private readonly source: DataSource,
    private readonly store: ObjectStore,
    @Inject(JOBS_CONFIG) private readonly config: Pick<JobsConfig, 'STORE_UPLOAD_SECONDS'>,
  ) {}

  /** Does nothing where no look is due, or another process has it. @throws StoreUnavailable; the sweep looks again */
  async look(jobId: string): Promise<void> {
    const deletion = await claimLook(this.source, jobId);
    const job = deletion && (await findJob(this.source, jobId));
    if (!deletion || !job) return;
    await this.blank(job);
    const found = await this.found(job);
    // Before they go: a crash in between must not lose them from the receipt.
    const objects = withFound(deletion, found);
    await this.source.query('UPDATE deletions SET objects = $2 WHERE job_id = $1', [jobId, objects]);
    // A gateway that died in the middle left the parts that it had stored.
    await this.store.janitor({ olderThanSeconds: 0, prefix: job.source_key });
    await this.store.deleteVersions(found);
    const left = await this.found(job);
    if (left.length > 0) throw new Error(`${left.length} objects are still there`);
    await this.confirm(job, deletion, found.length > 0);
    this.count(found);
  }

  /** The row stays, because the ledger refers to it; what its owner wrote or was told in words does not. */
  private async blank({ id, deleted_at, state }: JobRecord): Promise<void> {
    if (deleted_at === null) return;
    await this.source.query(
      `UPDATE jobs SET original_filename = '', prompt = '', speaker_names = '{}', voices_key = NULL,
                       error_message = CASE WHEN error_message IS NOT NULL THEN '' END, diarization_error = NULL,
                       -- While its end is yet to be announced, to whom must be known.
                       webhook_url = CASE WHEN announce_at IS NOT NULL THEN webhook_url END
        WHERE id = $1 AND deleted_at IS NOT NULL`,
      [id],
    );
    if (isOver(state)) await this.source.query('DELETE FROM work_items WHERE job_id = $1', [id]);
  }

  /** Every version of every object. The recording's own key besides its usual place: it may lie elsewhere. */
  private async found({ id, account_id, source_key }: JobRecord): Promise<ObjectVersion[]> {
    const prefixes = [
      objectKeys.sourcePrefix(account_id, id),
      objectKeys.workPrefix(id),
      objectKeys.resultPrefix(id),
    ];
    const versions = await Promise.all(prefixes.map((prefix) => this.store.listVersions(prefix)));
    const isElsewhere = !prefixes.some((prefix) => source_key.startsWith(prefix));
    const elsewhere = isElsewhere ? await this.store.listVersions(source_key) : [];
    return [...versions.flat(), ...elsewhere.filter(({ key }) => key === source_key)];
  }

  private async confirm(job: JobRecord, { looks }: DeletionRecord, hasErased: boolean): Promise<void> {
    await this.source.query(
      `UPDATE deletions d
          SET erased_at = CASE WHEN erased_at IS NULL OR $2 THEN now() ELSE erased_at END,
              looks = CASE WHEN j.is_at_rest THEN looks + 1 ELSE looks END,
              look_at = CASE
                -- Somebody was heard of meanwhile who may have stored something: at once then.
                WHEN look_at <= now() THEN look_at
                WHEN j.is_at_rest AND $5 THEN greatest(now() + make_interval(secs => $3), j.addresses_expire_at)
                WHEN j.is_at_rest THEN now() + make_interval(secs => $3)
                ELSE now() + make_interval(secs => $4) END
         FROM (SELECT state IN ('completed', 'failed') AND coalesce(upload_expires_at < now(), true) AS is_at_rest,
                      CASE WHEN declared_bytes IS NOT NULL
                           THEN created_at + make_interval(secs => $6) END AS addresses_expire_at
                 FROM jobs WHERE id = $1) j
        WHERE d.job_id = $1`,
      [
        ...[job.id, hasErased, LOOK_AGAIN_AFTER_SECONDS[looks] ?? null, UNREST_PAUSE_SECONDS],
        ...[looks === LOOK_AGAIN_AFTER_SECONDS.length - 1, this.config.STORE_UPLOAD_SECONDS],
      ],
    );
    await this.source.query(
      'UPDATE jobs SET cleared_at = now(), audio_erased_at = coalesce(audio_erased_at, now()) WHERE id = $1',
      [job.id],
    );
    if (looks > 0 && hasErased)
      this.log.warn(`something was stored late for deleted job ${job.id}: erased too`);
  }

  private count(found: readonly ObjectVersion[]): void {
    for (const { key, sizeBytes, isDeleteMarker } of found) {
      if (isDeleteMarker) continue;
      objectsErased.inc({ kind: kindOf(key) });
      bytesErased.inc(sizeBytes);
    }
  }
}

function isOver(state: JobState): boolean {
  return state === 'completed' || state === 'failed';
}

/**
 * What the receipt says after a look. Before the store has confirmed anything, a repeated look finds the rest of what the
 * one before had begun to delete; afterwards what is found has come late.
 */
function withFound({ objects, erased_at }: DeletionRecord, found: readonly ObjectVersion[]): ErasedObjects {
  const counted: ErasedObjects = {};
  for (const { key, sizeBytes, isDeleteMarker } of found) {
    // It notes that an object was deleted; none goes with it.
    if (isDeleteMarker) continue;
    const kind = kindOf(key);
    const { count, bytes } = counted[kind] ?? { count: 0, bytes: 0 };
    counted[kind] = { count: count + 1, bytes: bytes + sizeBytes };
  }
  const merged: ErasedObjects = { ...objects };
  for (const [kind, now] of Object.entries(counted) as [ErasedKind, { count: number; bytes: number }][]) {
    const before = objects[kind] ?? { count: 0, bytes: 0 };
    merged[kind] =
      erased_at === null
        ? { count: Math.max(before.count, now.count), bytes: Math.max(before.bytes, now.bytes) }
        : { count: before.count + now.count, bytes: before.bytes + now.bytes };
  }
  return merged;
}

function kindOf(key: string): ErasedKind {
  if (key.startsWith('work/')) return 'working_file';
  if (!key.startsWith('results/')) return 'recording';
  return key.endsWith('.voices') ? 'voices' : 'transcript';
}
