import type { ErrorCode, SpeakerNames } from '@currawong/contracts';
import type { JobState } from './job';

/** A job as far as it matters to telling its speakers apart anew. */
export interface Rediarizable {
  state: JobState;
  /** What was noted of its voices; null where nothing was. */
  voices_key: string | null;
  /** The voices go with the recording. */
  audio_erased_at: Date | null;
  /** The piece of work that is under way. */
  diarization_item_id: string | null;
  diarization_num_speakers: number | null;
}

/**
 * A completed job stays completed while its speakers are told apart anew, and shows its old result until there is a new
 * one. It ends in `rediarized` or in `gave_up`, and then may be asked for again:
 *
 *   at rest ──asked──► under way ──rediarized──► at rest, the result is the new one
 *                          └──────gave_up──────► at rest, the result is the old one and an error says why
 */
export type RediarizationEvent =
  | { kind: 'asked'; itemId: string; numSpeakers: number | null }
  | { kind: 'rediarized'; itemId: string; resultKey: string; speakersChanged: boolean }
  | { kind: 'gave_up'; itemId: string; errorMessage: string };

/** Column values that an event sets, by the names of the table `jobs`. */
export interface RediarizationChange {
  diarization_item_id: string | null;
  diarization_num_speakers?: number | null;
  diarization_error: string | null;
  result_key?: string;
  num_speakers?: number | null;
  speaker_names?: SpeakerNames;
  /** Null: what no longer counts is to be cleared away once more. */
  cleared_at?: null;
}

export const REDIARIZATION_GAVE_UP =
  'The speakers could not be told apart again after several attempts. The result is as it was; try again later.';

/** Why it cannot be asked for now; null where it can. */
export function rediarizationRefusal(job: Rediarizable): ErrorCode | null {
  if (job.state !== 'completed') return 'transcript_not_ready';
  if (job.diarization_item_id !== null) return 'diarization_pending';
  return job.voices_key === null || job.audio_erased_at !== null ? 'voices_erased' : null;
}

/** What an event does, or null where it comes too late: its piece of work is not the one under way. Pure. */
export function rediarization(job: Rediarizable, event: RediarizationEvent): RediarizationChange | null {
  if (event.kind === 'asked') {
    return rediarizationRefusal(job) === null
      ? {
          diarization_item_id: event.itemId,
          diarization_num_speakers: event.numSpeakers,
          diarization_error: null,
        }
      : null;
  }
  if (job.state !== 'completed' || job.diarization_item_id !== event.itemId) return null;
  const atRest = { diarization_item_id: null, diarization_error: null, cleared_at: null };
  switch (event.kind) {
    case 'rediarized':
      return {
        ...atRest,
        result_key: event.resultKey,
        num_speakers: job.diarization_num_speakers,
        // A name belongs to a voice, and `Speaker 1` may be another one now.
        ...(event.speakersChanged ? { speaker_names: {} } : {}),
      };
    case 'gave_up':
      return { ...atRest, diarization_error: event.errorMessage };
  }
}
