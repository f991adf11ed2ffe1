import type { Chunk, Stage, WorkReference } from '@currawong/contracts';
import { row, rows, DataSource, type EntityManager } from '@currawong/database';

/** A row of `jobs.work_items`: one piece of a job's work. */
export interface WorkRecord {
  id: string;
  job_id: string;
  stage: Stage;
  chunk_index: number;
  chunk: Chunk | null;
  state: 'queued' | 'running' | 'done' | 'dropped';
  attempt: number;
  failures: number;
  resends: number;
  lease_expires_at: Date;
  worker: string | null;
  fraction: number;
  last_error: string | null;
  created_at: Date;
  /** When it was queued last; sending its message again does not count. */
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  /** Of queued work: null once its message was sent; else it waits for its account's turn, and until then at least. */
  release_after: Date | null;
  /** Whose turn it takes and how much of one, seconds; null for work of before there were turns. */
  account_id: string | null;
  audio_seconds: number | null;
}

/** A piece of work as it is made. */
export interface NewWork {
  accountId?: string;
  audioSeconds?: number;
  /** Whether it waits for its turn: then it is not sent, and account and length must be known. */
  waits?: boolean;
  chunk?: Chunk;
  leaseSeconds: number;
}

type On = DataSource | EntityManager;

/** SQL: the length of a chunk's audio; null for other work. */
const CHUNK_SECONDS = "(chunk->>'end_seconds')::float8 - (chunk->>'start_seconds')::float8";

/** Without the chunks' speech spans, which for a long recording are most of the bytes. */
const OUTLINE =
  'id, job_id, stage, chunk_index, state, attempt, failures, resends, lease_expires_at, worker, fraction, last_error, created_at, queued_at, started_at, finished_at, release_after, account_id, audio_seconds';

export type WorkOutline = Omit<WorkRecord, 'chunk'>;

export function workOfJob(on: On, jobId: string): Promise<WorkOutline[]> {
  return workOfJobs(on, [jobId]);
}

export function workOfJobs(on: On, jobIds: string[]): Promise<WorkOutline[]> {
  return rows<WorkOutline>(
    on,
    `SELECT ${OUTLINE} FROM work_items WHERE job_id = ANY($1) ORDER BY created_at, chunk_index`,
    [jobIds],
  );
}

/** The attempts that recognized a job's chunks, by chunk index; shorter than `chunks` until all are done. */
export async function recognizedAttempts(on: On, jobId: string, chunks: number): Promise<number[]> {
  const recognized = await rows<{ attempt: number }>(
    on,
    `SELECT attempt FROM work_items WHERE job_id = $1 AND stage = 'recognize' AND state = 'done' AND chunk_index < $2
      ORDER BY chunk_index`,
    [jobId, chunks],
  );
  return recognized.map(({ attempt }) => attempt);
}

export function findWork(on: On, id: string): Promise<WorkRecord | undefined> {
  return row<WorkRecord>(on, 'SELECT * FROM work_items WHERE id = $1', [id]);
}

/** @returns undefined where this piece of the job exists already */
export function insertWork(
  manager: EntityManager,
  item: NewWork & { id: string; jobId: string; stage: Stage; index?: number },
): Promise<WorkRecord | undefined> {
  return row<WorkRecord>(
    manager,
    `INSERT INTO work_items (id, job_id, stage, chunk_index, chunk, lease_expires_at, account_id, audio_seconds, release_after)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), $7, $8, CASE WHEN $9 THEN now() END)
     ON CONFLICT ON CONSTRAINT one_item_per_piece DO NOTHING RETURNING *`,
    [
      item.id,
      item.jobId,
      item.stage,
      item.chunk?.index ?? item.index ?? 0,
      item.chunk ?? null,
      item.leaseSeconds,
      item.accountId ?? null,
      item.audioSeconds ?? null,
      item.waits ?? false,
    ],
  );
}

/**
 * Gives queued work to a worker. The message may be an older copy of the one that was sent last: it is as good. The same
 * worker may ask twice (its first answer was lost): then it is not newly claimed.
 */
export function claimWork(
  manager: EntityManager,
  reference: WorkReference,
  worker: string,
  leaseSeconds: number,
): Promise<(WorkRecord & { is_newly_claimed: boolean }) | undefined> {
  return row<WorkRecord & { is_newly_claimed: boolean }>(
    manager,
    `UPDATE work_items
        SET state = 'running', worker = $4, resends = 0, release_after = NULL,
            started_at = CASE WHEN state = 'running' THEN started_at ELSE now() END,
            lease_expires_at = now() + make_interval(secs => $5)
      WHERE id = $1 AND job_id = $2 AND attempt >= $3 AND (state = 'queued' OR (state = 'running' AND worker = $4))
      RETURNING *, started_at = now() AS is_newly_claimed`,
    [reference.item_id, reference.job_id, reference.attempt, worker, leaseSeconds],
  );
}

export async function renewLease(
  on: On,
  reference: WorkReference,
  fraction: number,
  leaseSeconds: number,
): Promise<boolean> {
  const renewed = await row(
    on,
    `UPDATE work_items SET fraction = greatest(fraction, $3), lease_expires_at = now() + make_interval(secs => $4)
      WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING id`,
    [reference.item_id, reference.attempt, fraction, leaseSeconds],
  );
  return renewed !== undefined;
}

/** The fence: undefined where this attempt is no longer the one that counts, or was finished before. */
export function finishWork(
  manager: EntityManager,
  reference: WorkReference,
): Promise<WorkRecord | undefined> {
  return row<WorkRecord>(
    manager,
    `UPDATE work_items SET state = 'done', fraction = 1, finished_at = now()
      WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING *`,
    [reference.item_id, reference.attempt],
  );
}

/**
 * Sends the same piece of work once more under the next attempt. The message id is item and attempt, and a stream
 * swallows an id that it has seen lately: the attempt must rise.
 */
export function requeueWork(
  manager: EntityManager,
  item: Pick<WorkRecord, 'id' | 'attempt'>,
  options: {
    failures?: number;
    resends?: number;
    lastError?: string;
    leaseSeconds: number;
    /** Where it is not sent: whose turn it waits for, how much of one, and for how long at least. */
    waits?: { accountId: string; audioSeconds: number; seconds: number };
  },
): Promise<WorkRecord | undefined> {
  return row<WorkRecord>(
    manager,
    `UPDATE work_items
        SET state = 'queued', attempt = attempt + 1, worker = NULL, fraction = 0, finished_at = NULL,
            queued_at = CASE WHEN $4::int IS NULL THEN now() ELSE queued_at END,
            failures = coalesce($3, failures), resends = coalesce($4, resends), last_error = coalesce($5, last_error),
            lease_expires_at = now() + make_interval(secs => $6), release_after = now() + make_interval(secs => $7),
            account_id = coalesce(account_id, $8), audio_seconds = coalesce(audio_seconds, ${CHUNK_SECONDS}, $9)
      WHERE id = $1 AND attempt = $2 AND state <> 'dropped' RETURNING *`,
    [
      item.id,
      item.attempt,
      options.failures ?? null,
      options.resends ?? null,
      options.lastError ?? null,
      options.leaseSeconds,
      options.waits?.seconds ?? null,
      options.waits?.accountId ?? null,
      options.waits?.audioSeconds ?? null,
    ],
  );
}

export function findChunk(on: On, jobId: string, index: number): Promise<WorkRecord | undefined> {
  return row<WorkRecord>(
    on,
    "SELECT * FROM work_items WHERE job_id = $1 AND stage = 'recognize' AND chunk_index = $2",
    [jobId, index],
  );
}

/**
 * Makes it a piece of work of its own that another part of the recording is recognized, in the place of this one and
 * whatever became of that: a message about this one is still about and must not be claimed as if it were as good. The
 * attempt rises all the same, for the names of the objects.
 */
export function replaceChunk(
  manager: EntityManager,
  item: Pick<WorkRecord, 'id' | 'attempt'>,
  by: NewWork & { id: string; chunk: Chunk },
): Promise<WorkRecord | undefined> {
  return row<WorkRecord>(
    manager,
    `UPDATE work_items
        SET id = $3, chunk = $4, state = 'queued', attempt = attempt + 1, failures = 0, resends = 0, worker = NULL, fraction = 0,
            last_error = NULL, queued_at = now(), finished_at = NULL,
            lease_expires_at = now() + make_interval(secs => $5), account_id = $6, audio_seconds = $7,
            release_after = CASE WHEN $8 THEN now() END
      WHERE id = $1 AND attempt = $2 RETURNING *`,
    [
      item.id,
      item.attempt,
      by.id,
      by.chunk,
      by.leaseSeconds,
      by.accountId ?? null,
      by.audioSeconds ?? null,
      by.waits ?? false,
    ],
  );
}

/** Whether an attempt at the cutting of the recording is yet to end. */
export async function isBeingCut(on: On, jobId: string): Promise<boolean> {
  const cutting = await row(
    on,
    `SELECT id FROM work_items
      WHERE job_id = $1 AND stage IN ('whole', 'prepare') AND state IN ('queued', 'running')`,
    [jobId],
  );
  return cutting !== undefined;
}

/** The recording has fewer chunks than an earlier attempt at its cutting found: the rest are not to be done. */
export async function dropChunksFrom(manager: EntityManager, jobId: string, chunks: number): Promise<void> {
  await manager.query(
    `UPDATE work_items SET state = 'dropped', finished_at = now()
      WHERE job_id = $1 AND stage = 'recognize' AND chunk_index >= $2 AND state IN ('queued', 'running')`,
    [jobId, chunks],
  );
}

/** Of words that are not to stay as they are. The report of whoever is at it finds no work to end. */
export async function forgetAssembly(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query("DELETE FROM work_items WHERE job_id = $1 AND stage = 'assemble'", [jobId]);
}

/** Keeps what ended a job's last attempt, for whoever looks into it. */
export async function recordFailure(
  manager: EntityManager,
  id: string,
  failures: number,
  lastError: string,
): Promise<void> {
  await manager.query('UPDATE work_items SET failures = $2, last_error = $3 WHERE id = $1', [
    id,
    failures,
    lastError,
  ]);
}

/** How many pieces of work of this stage a job has had. */
export async function countWork(manager: EntityManager, jobId: string, stage: Stage): Promise<number> {
  const counted = await row<{ items: number }>(
    manager,
    'SELECT count(*)::int AS items FROM work_items WHERE job_id = $1 AND stage = $2',
    [jobId, stage],
  );
  return counted!.items;
}

/** The job is over: whatever of its work is still about is not to be done. */
export async function dropWork(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    "UPDATE work_items SET state = 'dropped', finished_at = now() WHERE job_id = $1 AND state IN ('queued', 'running')",
    [jobId],
  );
}
