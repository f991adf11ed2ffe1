import type { Analysis, JobStatus, KeyMode, PriceOption } from '@currawong/contracts';

/**
 * Where a job stands. Drawn once, here:
 *
 *   uploading ──submitted──► pending ──claimed──► processing ──transcribed──► settling ──settled──► completed
 *       │                       │  │                  │  │                       ▲   │
 *       └───── discarded ◄──────┴──┼─────────◄────────┘  │                       │   └─settled──► failed
 *                                  └───── gave up ───────┴───────────────────────┘
 *
 * `cancelled` leads from uploading, pending and processing to settling as well, with the outcome failed. Erasure is no
 * state: a job that has ended, or whose outcome is decided, ends as it would and is hidden from then on (`deleted_at`).
 */
export type JobState =
  /** Bytes are arriving; the row exists before the first of them is stored. */
  | 'uploading'
  /** Accepted: the price is held and the first work is on its way to a worker. */
  | 'pending'
  /** A worker has, or had, some of the work. */
  | 'processing'
  /** The outcome is decided and will not change, except that money may refuse it; billing has yet to be told. */
  | 'settling'
  /** Charged and readable. Final. */
  | 'completed'
  /** Nothing charged, the reason is kept. Final. */
  | 'failed'
  /** The client was never told 200: hidden from everybody at once, erased within the minute. */
  | 'discarded';

/** What a client reads of a job that was cancelled. */
export const CANCELLED_MESSAGE = 'Cancelled by the client';

/** A job as the lifecycle sees it: what decides which events it takes. */
export interface Job {
  state: JobState;
  /** Null until it is decided. */
  outcome: 'completed' | 'failed' | null;
}

/** What a client is shown: settling is still `processing` to him, so that `completed` always includes the charge. */
export function publicStatus(state: JobState): JobStatus {
  switch (state) {
    case 'settling':
      return 'processing';
    case 'discarded':
      return 'failed';
    default:
      return state;
  }
}

/** A test key hears only the first minute of a recording. */
export const TEST_RECORDING_SECONDS = 60;

/** How much of a recording is recognized, seconds: as measured, or else as its container says. */
export function heardSeconds(job: {
  mode: KeyMode;
  duration_seconds: number | null;
  held_seconds: number | null;
}): number {
  const seconds = job.duration_seconds ?? job.held_seconds ?? 0;
  return job.mode === 'test' ? Math.min(seconds, TEST_RECORDING_SECONDS) : seconds;
}

/** Recordings are erased so long after their job ended, unless the account has chosen otherwise. */
export const AUDIO_RETENTION_DAYS = 30;

/** What an account leaves that is closed is erased after so long; until then it can be opened again. */
export const CLOSED_ACCOUNT_DAYS = 30;

/** What a job is priced as. */
export function priceOptionOf({ analysis }: { analysis: Analysis | null }): PriceOption {
  return analysis === null ? 'transcription' : 'analysis';
}

/** Seconds that are shown and charged: the decoded length, rounded to the nearest whole second. */
export function billableSeconds(durationSeconds: number): number {
  return Math.round(durationSeconds);
}
