import type { Owner } from '@currawong/contracts';
import { row, DataSource, type EntityManager } from '@currawong/database';

/** A row of `jobs.idempotency_keys`: the job that a client's key stands for. */
export interface IdempotencyRecord {
  key: string;
  fingerprint: string;
  job_id: string;
  /** Null while the job is being submitted. */
  accepted_at: Date | null;
  /** Null unless its receipt was given to another request as well. */
  shared_at: Date | null;
}

/** A key is its account's and its mode's: a test key never meets a live job. */
export interface OwnedKey extends Owner {
  key: string;
}

type On = DataSource | EntityManager;

/** How long a key is kept after its job was accepted, by the database's clock. */
export const KEY_HOURS = 24;
const EXPIRED = `accepted_at < now() - interval '${KEY_HOURS} hours'`;
const OF_KEY = 'account_id = $1 AND mode = $2 AND key = $3';
/** Longer than it takes to make a row of `jobs` and claim a key for it. */
const ORPHANED_AFTER_SECONDS = 60;
const SWEPT_AT_ONCE = 1_000;

const ofKey = ({ account_id, mode, key }: OwnedKey) => [account_id, mode, key];

/** @returns undefined where the key stands for a job already, and is not too old to */
export function insertKey(
  on: On,
  owned: OwnedKey,
  fingerprint: string,
  jobId: string,
): Promise<IdempotencyRecord | undefined> {
  return row<IdempotencyRecord>(
    on,
    `INSERT INTO idempotency_keys AS k (account_id, mode, key, fingerprint, job_id) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, mode, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, job_id = excluded.job_id, created_at = now(), accepted_at = NULL, shared_at = NULL
      WHERE k.${EXPIRED}
     RETURNING *`,
    [...ofKey(owned), fingerprint, jobId],
  );
}

/** With whether the job that it was claimed for may still be submitted. */
export function findKey(
  on: On,
  owned: OwnedKey,
): Promise<(IdempotencyRecord & { is_uploading: boolean }) | undefined> {
  return row<IdempotencyRecord & { is_uploading: boolean }>(
    on,
    `SELECT *, EXISTS (SELECT FROM jobs j WHERE j.id = k.job_id AND j.state = 'uploading') AS is_uploading
       FROM idempotency_keys k WHERE ${OF_KEY} AND (accepted_at IS NULL OR NOT ${EXPIRED})`,
    ofKey(owned),
  );
}

/** @returns false where the key does not stand for this job any more */
export async function acceptKey(on: On, owned: OwnedKey, jobId: string): Promise<boolean> {
  const accepted = await row(
    on,
    `UPDATE idempotency_keys SET accepted_at = coalesce(accepted_at, now()) WHERE ${OF_KEY} AND job_id = $4 RETURNING job_id`,
    [...ofKey(owned), jobId],
  );
  return accepted !== undefined;
}

/**
 * Notes that another request is given the receipt. Waits for a discard of the job that is under way.
 * @returns the job, or undefined where there is no accepted one (any more)
 */
export async function shareKey(on: On, owned: OwnedKey, fingerprint: string): Promise<string | undefined> {
  const shared = await row<{ job_id: string }>(
    on,
    `UPDATE idempotency_keys SET shared_at = coalesce(shared_at, now())
      WHERE ${OF_KEY} AND fingerprint = $4 AND NOT ${EXPIRED} RETURNING job_id`,
    [...ofKey(owned), fingerprint],
  );
  return shared?.job_id;
}

/** Whether a job's receipt is somebody else's as well; holds the key until the transaction ends. */
export async function isShared(manager: EntityManager, jobId: string): Promise<boolean> {
  const key = await row<IdempotencyRecord>(
    manager,
    'SELECT * FROM idempotency_keys WHERE job_id = $1 ORDER BY shared_at NULLS LAST LIMIT 1 FOR UPDATE',
    [jobId],
  );
  return key !== undefined && key.shared_at !== null;
}

/** The job did not come about, or is undone: its keys may be used again. */
export async function freeKeys(on: On, jobId: string): Promise<void> {
  await on.query('DELETE FROM idempotency_keys WHERE job_id = $1', [jobId]);
}

/** The job that a key was claimed for was not submitted after all. */
export async function freeUnacceptedKeys(on: On, jobId: string): Promise<void> {
  await on.query('DELETE FROM idempotency_keys WHERE job_id = $1 AND accepted_at IS NULL', [jobId]);
}

/** Keys that are too old, and such as were claimed for a job that is not being submitted any more. */
export async function sweepKeys(on: On): Promise<void> {
  for (;;) {
    const swept = await row<{ count: number }>(
      on,
      `WITH due AS (
         SELECT account_id, mode, key FROM idempotency_keys k
          WHERE ${EXPIRED}
             OR (accepted_at IS NULL AND created_at < now() - interval '${ORPHANED_AFTER_SECONDS} seconds'
                 AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = k.job_id AND j.state = 'uploading'))
          LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED),
       gone AS (DELETE FROM idempotency_keys k USING due
                 WHERE k.account_id = due.account_id AND k.mode = due.mode AND k.key = due.key RETURNING 1)
       SELECT count(*)::int AS count FROM gone`,
      [],
    );
    if ((swept?.count ?? 0) < SWEPT_AT_ONCE) return;
  }
}
