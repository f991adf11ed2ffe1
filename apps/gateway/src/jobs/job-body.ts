import type { JobDetail, JobListItem, JobView, ShownSegment, TranscriptDocument } from '@currawong/contracts';
import { audNumber } from '../credit/aud';

/** What of a result a client is shown. */
export interface ShownTranscript extends Pick<
  TranscriptDocument,
  'transcription' | 'diarization' | 'warnings'
> {
  segments: ShownSegment[];
}

export function shownOf({
  transcription,
  diarization,
  warnings,
  segments,
}: TranscriptDocument): ShownTranscript {
  const withoutWords = segments.map(({ words: _, ...segment }) => segment);
  return { transcription, diarization, warnings, segments: withoutWords };
}

/** A job in a list: the detail form without the texts. */
export function listItem(job: JobView): JobListItem {
  return {
    id: job.id,
    status: job.status,
    original_filename: job.original_filename,
    language: job.language,
    audio_duration_seconds: job.audio_duration_seconds,
    audio_duration_minutes: job.audio_duration_seconds === null ? null : job.audio_duration_seconds / 60,
    error_message: job.error_message,
    created_at: job.created_at,
    completed_at: job.completed_at,
    progress: job.progress,
    cost_aud: job.cost_micro_aud === null ? null : audNumber(job.cost_micro_aud),
    speaker_names: job.speaker_names,
    audio_available: job.audio_available,
  };
}

/** @param transcript null unless the job is completed; with words or without, as it is to be shown */
export function detail(job: JobView, transcript: ShownTranscript | null): JobDetail {
  return {
    ...listItem(job),
    transcription: transcript?.transcription ?? null,
    diarization: transcript?.diarization ?? null,
    segments: transcript?.segments ?? null,
    warnings: transcript?.warnings ?? [],
  };
}
