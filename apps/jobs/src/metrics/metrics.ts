import { ErasedKind, Stage, type KeyMode } from '@currawong/contracts';
import { TracedHistogram } from '@currawong/telemetry';
import { Counter } from 'prom-client';

// Counted when the change is committed, by the process that made it: summed over the replicas every event counts once.

export const jobsAccepted = new Counter({
  name: 'currawong_jobs_accepted_total',
  help: 'Jobs whose price was held and whose first work was sent',
  labelNames: ['mode'],
});

/** `outcome`: completed, failed, cancelled. */
export const jobsEnded = new Counter({
  name: 'currawong_jobs_ended_total',
  help: 'Jobs that were settled, by how they ended',
  labelNames: ['outcome', 'mode'],
});

export const jobSeconds = new TracedHistogram({
  name: 'currawong_job_seconds',
  help: 'Time from the acceptance of a job to its completion, its charge included',
  labelNames: [],
  buckets: [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600],
});

export const jobCompletionRatio = new TracedHistogram({
  name: 'currawong_job_completion_ratio',
  help: 'Time from acceptance to completion divided by the length of the recording, counted as a minute at least',
  labelNames: [],
  buckets: [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
});

export const stageWaitSeconds = new TracedHistogram({
  name: 'currawong_stage_wait_seconds',
  help: 'Time that a piece of work was queued before a worker claimed it, a delay before a retry included',
  labelNames: ['stage'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600],
});

/** `outcome`: done, refused (the recording cannot be transcribed), broke, given_back. */
export const stageSeconds = new TracedHistogram({
  name: 'currawong_stage_seconds',
  help: 'Time from the claim of a piece of work to the report about it',
  labelNames: ['stage', 'outcome'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800],
});

/** `kind`: see `RESCUES`. */
const rescues = new Counter({
  name: 'currawong_work_rescues_total',
  help: 'Work that a sweep took up again: its worker was silent, nobody had claimed it, or its report was lost',
  labelNames: ['kind'],
});

/** `outcome`: see `countRepeatedSubmission`. */
const repeatedSubmissions = new Counter({
  name: 'currawong_repeated_submissions_total',
  help: 'Submissions under an Idempotency-Key that another one had taken already',
  labelNames: ['outcome'],
});

/** Given the earlier receipt, refused as another request, or told to come again. */
const REPEATED_OUTCOMES = ['accepted', 'other_request', 'pending'] as const;
for (const outcome of REPEATED_OUTCOMES) repeatedSubmissions.inc({ outcome }, 0);

export function countRepeatedSubmission(outcome: (typeof REPEATED_OUTCOMES)[number]): void {
  repeatedSubmissions.inc({ outcome });
}

/** `kind`: recording, transcript, voices, working_file. */
export const objectsErased = new Counter({
  name: 'currawong_erased_objects_total',
  help: 'Objects, and versions of objects, that were deleted with their job',
  labelNames: ['kind'],
});
for (const kind of ErasedKind.options) objectsErased.inc({ kind }, 0);

export const bytesErased = new Counter({
  name: 'currawong_erased_bytes_total',
  help: 'Bytes of the objects that were deleted with their job',
});

export const uploadsAbandoned = new Counter({
  name: 'currawong_uploads_abandoned_total',
  help: 'Uploads that were discarded because their gateway was silent for a lease',
});

/** `reason`: broke (the worker said so), lost (nothing was heard of it). */
const attemptsFailed = new Counter({
  name: 'currawong_attempts_failed_total',
  help: 'Attempts at a piece of work that counted as failed',
  labelNames: ['stage', 'reason'],
});

const RESCUES = ['lost_lease', 'unclaimed', 'stranded'] as const;
const FAILURES = ['broke', 'lost'] as const;
const MODES: readonly KeyMode[] = ['live', 'test'];

export function countRescue(kind: (typeof RESCUES)[number]): void {
  rescues.inc({ kind });
}

export function countFailedAttempt(stage: Stage, reason: (typeof FAILURES)[number]): void {
  attemptsFailed.inc({ stage, reason });
}

// An increase from nothing to the first event is seen only where there was a series at 0.
for (const kind of RESCUES) rescues.inc({ kind }, 0);
for (const mode of MODES) {
  jobsAccepted.inc({ mode }, 0);
  for (const outcome of ['completed', 'failed', 'cancelled']) jobsEnded.inc({ outcome, mode }, 0);
}
for (const stage of Stage.options) {
  stageWaitSeconds.zero({ stage });
  for (const outcome of ['done', 'refused', 'broke', 'given_back']) stageSeconds.zero({ stage, outcome });
  for (const reason of FAILURES) attemptsFailed.inc({ stage, reason }, 0);
}
