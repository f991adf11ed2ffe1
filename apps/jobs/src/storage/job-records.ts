import { row, rows, DataSource, type EntityManager } from '@currawong/database';
import type {
  Analysis,
  JobStatus,
  JobView,
  KeyMode,
  Owner,
  PriceOption,
  SpeakerNames,
} from '@currawong/contracts';
import { AUDIO_RETENTION_DAYS, billableSeconds, publicStatus, type JobState } from '../lifecycle/job';
import { rediarization, type RediarizationEvent } from '../lifecycle/rediarization';
import { transition, type JobEvent } from '../lifecycle/transition';

/** A row of `jobs.jobs`. bigint columns come as strings. */
export interface JobRecord {
  id: string;
  account_id: string;
  mode: KeyMode;
  state: JobState;
  original_filename: string;
  source_key: string;
  language: string;
  num_speakers: number | null;
  prompt: string;
  size_bytes: string | null;
  held_seconds: number | null;
  upload_expires_at: Date | null;
  duration_seconds: number | null;
  chunks: number | null;
  outcome: 'completed' | 'failed' | null;
  result_key: string | null;
  error_message: string | null;
  cost_micro_aud: string | null;
  created_at: Date;
  changed_at: Date;
  completed_at: Date | null;
  cleared_at: Date | null;
  key_id: string | null;
  speaker_names: SpeakerNames;
  /** Of a test job: seconds counted against the day's allowance. */
  test_seconds: number | null;
  audio_expires_at: Date | null;
  audio_erased_at: Date | null;
  reconciled_at: Date | null;
  analysis: Analysis | null;
  voices_key: string | null;
  diarization_item_id: string | null;
  diarization_num_speakers: number | null;
  diarization_error: string | null;
  webhook_url: string | null;
  /** From when on its end is said again; null once it is known to be announced. */
  announce_at: Date | null;
  /** When it was decided that it is erased; from then on it is there for nobody. */
  deleted_at: Date | null;
  /** Of a recording that its client puts into the store itself: the store's id of it, once it has one. */
  store_upload_id: string | null;
  /** How long its client said that such a recording is; null of every other. */
  declared_bytes: string | null;
  hold_option: PriceOption | null;
}

type On = DataSource | EntityManager;

export function findJob(on: On, id: string): Promise<JobRecord | undefined> {
  return row<JobRecord>(on, 'SELECT * FROM jobs WHERE id = $1', [id]);
}

/** Everything that changes a job's work takes this lock first, so that two results of one job take turns. */
export function lockJob(manager: EntityManager, id: string): Promise<JobRecord | undefined> {
  return row<JobRecord>(manager, 'SELECT * FROM jobs WHERE id = $1 FOR UPDATE', [id]);
}

/** undefined where it is not settling, or where another process has it */
export function lockSettlingJob(manager: EntityManager, id: string): Promise<JobRecord | undefined> {
  return row<JobRecord>(
    manager,
    "SELECT * FROM jobs WHERE id = $1 AND state = 'settling' FOR UPDATE SKIP LOCKED",
    [id],
  );
}

export async function raiseHeldSeconds(on: On, id: string, heldSeconds: number): Promise<void> {
  await on.query('UPDATE jobs SET held_seconds = greatest(held_seconds, $2) WHERE id = $1', [
    id,
    heldSeconds,
  ]);
}

export function findOwnedJob(on: On, owner: Owner, id: string): Promise<JobRecord | undefined> {
  return row<JobRecord>(
    on,
    "SELECT * FROM jobs WHERE id = $1 AND account_id = $2 AND mode = $3 AND state <> 'discarded' AND deleted_at IS NULL",
    [id, owner.account_id, owner.mode],
  );
}

/** Of these, such as are theirs who ask. */
export function findOwnedJobs(on: On, wanted: readonly (Owner & { job_id: string })[]): Promise<JobRecord[]> {
  return rows<JobRecord>(
    on,
    `SELECT j.* FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS w (id, account_id, mode)
       JOIN jobs j ON j.id = w.id AND j.account_id = w.account_id AND j.mode = w.mode
      WHERE j.state <> 'discarded' AND j.deleted_at IS NULL`,
    [
      wanted.map(({ job_id }) => job_id),
      wanted.map(({ account_id }) => account_id),
      wanted.map(({ mode }) => mode),
    ],
  );
}

/** Again with the same id it changes nothing: the answer to the first asking may have been lost. */
export async function insertUpload(
  on: On,
  job: {
    /** Of one that its client puts into the store itself. */
    declaredBytes?: number;
    id: string;
    accountId: string;
    mode: KeyMode;
    keyId: string | null;
    originalFilename: string;
    sourceKey: string;
    leaseSeconds: number;
  },
): Promise<void> {
  await on.query(
    `INSERT INTO jobs (id, account_id, mode, key_id, state, original_filename, source_key, upload_expires_at, declared_bytes)
     VALUES ($1, $2, $3, $4, 'uploading', $5, $6, now() + make_interval(secs => $7), $8) ON CONFLICT (id) DO NOTHING`,
    [
      ...[job.id, job.accountId, job.mode, job.keyId, job.originalFilename, job.sourceKey, job.leaseSeconds],
      job.declaredBytes ?? null,
    ],
  );
}

/**
 * How many recordings an account is putting into the store itself, and how many more it could put parts of because they
 * were cancelled while their addresses are good. Others that want to count wait for this transaction.
 */
export async function countOpenStoreUploads(
  manager: EntityManager,
  accountId: string,
  addressSeconds: number,
): Promise<number> {
  await manager.query("SELECT pg_advisory_xact_lock(hashtextextended('open uploads ' || $1, 0))", [
    accountId,
  ]);
  const counted = await row<{ open: number }>(
    manager,
    `SELECT (SELECT count(*) FROM jobs
              WHERE account_id = $1 AND state = 'uploading' AND declared_bytes IS NOT NULL)::int
          + (SELECT count(*) FROM jobs
              WHERE account_id = $1 AND declared_bytes IS NOT NULL AND held_seconds = 0
                AND created_at > now() - make_interval(secs => $2))::int AS open`,
    [accountId, addressSeconds],
  );
  return counted!.open;
}

/** An upload of theirs that goes to the store directly; also one whose job was deleted since it was submitted. */
export function findStoreUpload(on: On, owner: Owner, id: string): Promise<JobRecord | undefined> {
  return row<JobRecord>(
    on,
    `SELECT * FROM jobs
      WHERE id = $1 AND account_id = $2 AND mode = $3 AND declared_bytes IS NOT NULL AND state <> 'discarded'`,
    [id, owner.account_id, owner.mode],
  );
}

/** @returns undefined where the upload is no longer open */
export function noteStoreUpload(on: On, id: string, storeUploadId: string): Promise<JobRecord | undefined> {
  return row<JobRecord>(
    on,
    "UPDATE jobs SET store_upload_id = $2 WHERE id = $1 AND state = 'uploading' RETURNING *",
    [id, storeUploadId],
  );
}

/**
 * Says as what an upload is priced, once and for all: a hold keeps the price that it was placed at.
 * @returns what was said first; undefined where the upload is no longer open
 */
export async function fixHoldOption(
  on: On,
  id: string,
  option: PriceOption,
): Promise<PriceOption | undefined> {
  const fixed = await row<{ hold_option: PriceOption }>(
    on,
    `UPDATE jobs SET hold_option = coalesce(hold_option, $2) WHERE id = $1 AND state = 'uploading' RETURNING hold_option`,
    [id, option],
  );
  return fixed?.hold_option;
}

/** @returns false where the upload is no longer open */
export async function extendUpload(on: On, id: string, leaseSeconds: number): Promise<boolean> {
  const extended = await row(
    on,
    `UPDATE jobs SET upload_expires_at = greatest(upload_expires_at, now() + make_interval(secs => $2))
      WHERE id = $1 AND state = 'uploading' RETURNING id`,
    [id, leaseSeconds],
  );
  return extended !== undefined;
}

/** Whether nothing was heard of it for too long, by the database's clock. */
export async function isAbandonedUpload(on: On, id: string): Promise<boolean> {
  const abandoned = await row(
    on,
    "SELECT id FROM jobs WHERE id = $1 AND state = 'uploading' AND upload_expires_at < now()",
    [id],
  );
  return abandoned !== undefined;
}

/** Of an upload that was cancelled: nothing is awaited from its client any more, only what is on its way. */
export async function shortenUpload(on: On, id: string, leaseSeconds: number): Promise<void> {
  await on.query(
    `UPDATE jobs SET upload_expires_at = least(upload_expires_at, now() + make_interval(secs => $2)) WHERE id = $1`,
    [id, leaseSeconds],
  );
}

/**
 * Stores what an event does to a job, guarded by the state it was decided from.
 * @returns the job as it is now, or null where the event came too late
 */
export async function applyEvent(on: On, job: JobRecord, event: JobEvent): Promise<JobRecord | null> {
  const change = transition(job, event);
  if (!change) return null;
  const columns = Object.entries(change.set);
  const assignments = columns.map(([column], index) => `${column} = $${index + 3}`);
  if (change.set.state === 'completed' || change.set.state === 'failed')
    assignments.push('completed_at = now()', AUDIO_EXPIRES, ANNOUNCED_AGAIN);
  if (event.kind === 'submitted') assignments.push('upload_expires_at = NULL');
  // Its recording goes at once, and is not to be had meanwhile.
  if (event.kind === 'cancelled') assignments.push('audio_erased_at = now()');
  // A submission that was abandoned meanwhile must not come back to life.
  const leaseGuard = event.kind === 'submitted' ? ' AND upload_expires_at > now()' : '';
  const changed = await row<JobRecord>(
    on,
    `UPDATE jobs SET ${assignments.join(', ')}, changed_at = now()
      WHERE id = $1 AND state = $2${leaseGuard} RETURNING *`,
    [job.id, change.from, ...columns.map(([, value]) => value)],
  );
  return changed ?? null;
}

/**
 * Stores what an event does to the telling apart of a completed job's speakers, guarded by what was under way.
 * @returns the job as it is now, or null where the event came too late
 */
export async function applyRediarization(
  on: On,
  job: JobRecord,
  event: RediarizationEvent,
): Promise<JobRecord | null> {
  const change = rediarization(job, event);
  if (!change) return null;
  const columns = Object.entries(change);
  const assignments = columns.map(([column], index) => `${column} = $${index + 3}`);
  const changed = await row<JobRecord>(
    on,
    `UPDATE jobs SET ${assignments.join(', ')}, changed_at = now()
      WHERE id = $1 AND state = 'completed' AND diarization_item_id IS NOT DISTINCT FROM $2::uuid RETURNING *`,
    [job.id, job.diarization_item_id, ...columns.map(([, value]) => value as unknown)],
  );
  return changed ?? null;
}

/** SQL: for how many days the recording of a row of `jobs` is kept after its end. */
export const RETENTION_DAYS = `coalesce(
  (SELECT s.audio_retention_days FROM account_settings s WHERE s.account_id = jobs.account_id), ${AUDIO_RETENTION_DAYS})`;

/** The sweep that applies a changed retention to ended jobs waits for jobs that are being settled under the old one. */
const AUDIO_EXPIRES = `audio_expires_at = now() + make_interval(days => ${RETENTION_DAYS})`;

/** Longer than what is published of an end takes, as a rule, to be kept by those who announce it. */
const ANNOUNCED_AGAIN = "announce_at = now() + interval '15 seconds'";

/** @returns the job as it is now; undefined where it is not theirs */
export function nameSpeakers(
  on: On,
  owner: Owner,
  id: string,
  names: SpeakerNames,
): Promise<JobRecord | undefined> {
  return row<JobRecord>(
    on,
    `UPDATE jobs SET speaker_names = $4
      WHERE id = $1 AND account_id = $2 AND mode = $3 AND state <> 'discarded' AND deleted_at IS NULL RETURNING *`,
    [id, owner.account_id, owner.mode, JSON.stringify(names)],
  );
}

/** Where a job that waits stands, and when one that is unfinished will be done. */
export interface Outlook {
  /** 1 is the next; null where it does not wait. */
  position: number | null;
  /** null where nothing is known to tell it from */
  completionAt: Date | null;
}

/** @param progress share of the work done, 0 to 1 */
export function asJobView(record: JobRecord, progress: number, outlook?: Outlook): JobView {
  const completed = record.state === 'completed';
  const failed = record.state === 'failed';
  return {
    id: record.id,
    status: publicStatus(record.state),
    original_filename: record.original_filename,
    language: record.language,
    audio_duration_seconds:
      completed && record.duration_seconds !== null ? billableSeconds(record.duration_seconds) : null,
    error_message: failed ? record.error_message : null,
    created_at: record.created_at.toISOString(),
    completed_at: record.completed_at?.toISOString() ?? null,
    progress: completed || failed ? 1 : progress,
    cost_micro_aud: completed || failed ? Number(record.cost_micro_aud ?? 0) : null,
    result_key: completed ? record.result_key : null,
    speaker_names: record.speaker_names,
    audio_available: hasAudio(record),
    num_speakers: record.num_speakers,
    analysis: record.analysis,
    queue_position: outlook?.position ?? null,
    estimated_completion_at: outlook?.completionAt?.toISOString() ?? null,
    diarization_pending: record.diarization_item_id !== null,
    diarization_error: record.diarization_error,
  };
}

/** Whether it was ever more than an upload: one that was cancelled before has no length. */
export function wasAccepted({ state, held_seconds }: JobRecord): boolean {
  return state !== 'uploading' && state !== 'discarded' && (held_seconds ?? 0) > 0;
}

/** Whether the whole recording is stored. What became of it after that only its erasure changes. */
export function hasAudio({ state, audio_erased_at }: JobRecord): boolean {
  return state !== 'uploading' && state !== 'discarded' && audio_erased_at === null;
}

/** Whether it was cancelled before it had been accepted: its client was never told 200. An accepted one holds a second at least. */
export function wasCancelledAsUpload({ state, held_seconds }: JobRecord): boolean {
  return (state === 'settling' || state === 'failed') && held_seconds === 0;
}

/** The states that show as one public status. */
function statesShownAs(status: JobStatus): JobState[] {
  return status === 'processing' ? ['processing', 'settling'] : [status];
}

/** One page of an account's jobs, newest first, and how many there are in all. */
export async function listOwnedJobs(
  on: On,
  owner: Owner,
  options: { page: number; pageSize: number; status?: JobStatus | undefined },
): Promise<{ jobs: JobRecord[]; total: number }> {
  const states = options.status ? statesShownAs(options.status) : null;
  const filter = `account_id = $1 AND mode = $2 AND state <> 'discarded' AND deleted_at IS NULL AND ($3::text[] IS NULL OR state = ANY($3))`;
  const parameters = [owner.account_id, owner.mode, states];
  const [jobs, count] = await Promise.all([
    rows<JobRecord>(on, `SELECT * FROM jobs WHERE ${filter} ORDER BY id DESC LIMIT $4 OFFSET $5`, [
      ...parameters,
      options.pageSize,
      (options.page - 1) * options.pageSize,
    ]),
    row<{ count: string }>(on, `SELECT count(*) FROM jobs WHERE ${filter}`, parameters),
  ]);
  return { jobs, total: Number(count?.count ?? 0) };
}
