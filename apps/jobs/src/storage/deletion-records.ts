import type {
  Deletion,
  DeletionReason,
  DeletionRequester,
  ErasedKind,
  KeyMode,
  Owner,
} from '@currawong/contracts';
import { row, rows, type DataSource, type EntityManager } from '@currawong/database';
import type { JobRecord } from './job-records';

export type ErasedObjects = Partial<Record<ErasedKind, { count: number; bytes: number }>>;

/** A row of `jobs.deletions`: the receipt of a deletion, and what is left to do for it. */
export interface DeletionRecord {
  job_id: string;
  account_id: string;
  mode: KeyMode;
  reason: DeletionReason;
  requested_by: DeletionRequester;
  key_id: string | null;
  requested_at: Date;
  cancelled_at: Date | null;
  objects: ErasedObjects;
  erased_at: Date | null;
  looks: number;
  look_at: Date | null;
}

/** At whose request a job is deleted, and why. */
export type DeletionCause = Pick<DeletionRecord, 'reason' | 'requested_by' | 'key_id'>;

type On = DataSource | EntityManager;

/** Longer than a look takes where the store answers; a process that died in one is succeeded after it. */
const LOOK_LEASE_SECONDS = 15;

/**
 * Notes that a job is cancelled, or is to be erased: a job that was cancelled before gets the second reason in the place
 * of the first, and keeps when it was cancelled.
 * @param manager of the transaction that holds the job locked
 */
export async function noteDeletion(
  manager: EntityManager,
  job: JobRecord,
  cause: DeletionCause,
  isCancelled: boolean,
): Promise<DeletionRecord> {
  const noted = await row<DeletionRecord>(
    manager,
    `INSERT INTO deletions AS d (job_id, account_id, mode, reason, requested_by, key_id, cancelled_at)
     VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN now() END)
     ON CONFLICT (job_id) DO UPDATE
       SET reason = excluded.reason, requested_by = excluded.requested_by, key_id = excluded.key_id,
           requested_at = now(), erased_at = NULL, looks = 0, look_at = now()
     RETURNING *`,
    [job.id, job.account_id, job.mode, cause.reason, cause.requested_by, cause.key_id, isCancelled],
  );
  return noted!;
}

export function findDeletion(on: On, jobId: string): Promise<DeletionRecord | undefined> {
  return row<DeletionRecord>(on, 'SELECT * FROM deletions WHERE job_id = $1', [jobId]);
}

export async function wasRequestedWithin(on: On, jobId: string, seconds: number): Promise<boolean> {
  const found = await row(
    on,
    'SELECT FROM deletions WHERE job_id = $1 AND requested_at > now() - make_interval(secs => $2)',
    [jobId, seconds],
  );
  return found !== undefined;
}

export function findOwnedDeletion(on: On, owner: Owner, jobId: string): Promise<DeletionRecord | undefined> {
  return row<DeletionRecord>(
    on,
    'SELECT * FROM deletions WHERE job_id = $1 AND account_id = $2 AND mode = $3',
    [jobId, owner.account_id, owner.mode],
  );
}

/** One page of an owner's deletions, newest first, and how many there are in all. */
export async function listOwnedDeletions(
  on: On,
  owner: Owner,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ deletions: DeletionRecord[]; total: number }> {
  const [deletions, count] = await Promise.all([
    rows<DeletionRecord>(
      on,
      `SELECT * FROM deletions WHERE account_id = $1 AND mode = $2
        ORDER BY requested_at DESC, job_id LIMIT $3 OFFSET $4`,
      [owner.account_id, owner.mode, pageSize, (page - 1) * pageSize],
    ),
    row<{ count: string }>(on, 'SELECT count(*) FROM deletions WHERE account_id = $1 AND mode = $2', [
      owner.account_id,
      owner.mode,
    ]),
  ]);
  return { deletions, total: Number(count?.count ?? 0) };
}

/** Gives the next look at a deletion to the caller alone; undefined where none is due. */
export function claimLook(on: On, jobId: string): Promise<DeletionRecord | undefined> {
  return row<DeletionRecord>(
    on,
    `UPDATE deletions SET look_at = now() + make_interval(secs => $2)
      WHERE job_id = $1 AND look_at <= now() RETURNING *`,
    [jobId, LOOK_LEASE_SECONDS],
  );
}

/** Whoever was at a job that is deleted has just been heard of: it may have stored something. */
export async function lookAgain(on: On, jobId: string): Promise<void> {
  await on.query('UPDATE deletions SET look_at = now() WHERE job_id = $1', [jobId]);
}

export function asDeletion(record: DeletionRecord): Deletion {
  const kinds = Object.entries(record.objects) as [ErasedKind, { count: number; bytes: number }][];
  return {
    job_id: record.job_id,
    mode: record.mode,
    reason: record.reason,
    requested_at: record.requested_at.toISOString(),
    requested_by: record.requested_by,
    key_id: record.key_id,
    cancelled_at: record.cancelled_at?.toISOString() ?? null,
    erased_at: record.erased_at?.toISOString() ?? null,
    objects: kinds.map(([kind, { count, bytes }]) => ({ kind, count, bytes })),
  };
}
