import { z } from 'zod';
import { defineNotice, defineRequest } from './define';
import { JobView, KeyMode, Owner } from './jobs';

/** What the store holds of a job, as a deletion receipt counts it. */
export const ErasedKind = z.enum(['recording', 'transcript', 'voices', 'working_file']);
export type ErasedKind = z.infer<typeof ErasedKind>;

/** Why a job was deleted: its owner asked, its time was over, or its account has been closed for long enough. */
export const DeletionReason = z.enum(['client', 'retention', 'account_closed']);
export type DeletionReason = z.infer<typeof DeletionReason>;

/** Who asked: an API key, somebody signed in on the dashboard, or the service itself. */
export const DeletionRequester = z.enum(['key', 'session', 'service']);
export type DeletionRequester = z.infer<typeof DeletionRequester>;

const Timestamp = z.iso.datetime();

/** What was deleted of a job, at whose request and when; kept for ever, without any content. */
export const Deletion = z.object({
  job_id: z.uuid(),
  mode: KeyMode,
  reason: DeletionReason,
  requested_at: Timestamp,
  requested_by: DeletionRequester,
  /** The key that asked; null for everybody else. */
  key_id: z.uuid().nullable(),
  /** When the job was stopped; null where it had ended by itself. */
  cancelled_at: Timestamp.nullable(),
  /** When the store last confirmed that nothing is left; null until then. */
  erased_at: Timestamp.nullable(),
  /** Earlier versions of an object, in a bucket that keeps them, count as objects. */
  objects: z.array(
    z.object({ kind: ErasedKind, count: z.number().int().positive(), bytes: z.number().int() }),
  ),
});
export type Deletion = z.infer<typeof Deletion>;

/**
 * Cancels an unfinished job, and erases a finished one. Asked again it answers the same. Refuses with `job_not_found`.
 * @see docs/decisions/0016-deletion.md
 */
export const DeleteJob = defineRequest(
  'jobs.delete',
  Owner.extend({ job_id: z.uuid(), requested_by: DeletionRequester, key_id: z.uuid().nullable() }),
  Deletion,
);

/** Refuses with `deletion_not_found`. */
export const GetDeletion = defineRequest('jobs.deletion', Owner.extend({ job_id: z.uuid() }), Deletion);

/** Those of an owner, newest first. */
export const ListDeletions = defineRequest(
  'jobs.deletions',
  Owner.extend({ page: z.number().int().min(1), page_size: z.number().int().min(1).max(100) }),
  z.object({ deletions: z.array(Deletion), total: z.number().int() }),
);

/**
 * A job was cancelled or deleted: whatever is under way for it, an upload or an attempt at its work, ends at once. Who
 * does not hear it learns it from its lease.
 */
export const JobStopped = defineNotice('jobs.stopped', z.object({ job_id: z.uuid() }));

/** Something of a job is other than it was: who follows it asks. */
export const JobMoved = defineNotice('jobs.moved', z.object({ job_id: z.uuid() }));

/** How jobs stand that somebody follows. One that is not there, or not theirs, is left out. */
export const FollowJobs = defineRequest(
  'jobs.follow',
  z.object({ jobs: z.array(Owner.extend({ job_id: z.uuid() })).max(200) }),
  z.object({ jobs: z.array(JobView) }),
);
