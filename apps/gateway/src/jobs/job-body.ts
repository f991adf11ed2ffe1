import type { JobDetail, JobListItem, JobView, ShownSegment, TranscriptDocument } from '@currawong/contracts';
import { audNumber } from '../credit/aud';

/** What of a result a client is shown. */
export interface ShownTranscript extends Pick<
  TranscriptDocument,
  'transcription' | 'diarization' | 'warnings' | 'engine' | 'diarizer' | 'speakersSummary'
> {
  segments: ShownSegment[];
}

export function shownOf(document: TranscriptDocument): ShownTranscript {
  const { transcription, diarization, warnings, engine, diarizer, speakersSummary, segments } = document;
  const withoutWords = segments.map(({ words: _, ...segment }) => segment);
  return { transcription, diarization, warnings, engine, diarizer, speakersSummary, segments: withoutWords };
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
    num_speakers: job.num_speakers,
    analysis: job.analysis,
    queue_position: job.queue_position,
    estimated_completion_at: job.estimated_completion_at,
    diarization_pending: job.diarization_pending,
    diarization_error: job.diarization_error,
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
    speakers_summary: transcript?.speakersSummary ?? null,
    engine: transcript && {
      name: transcript.engine.name,
      version: transcript.engine.version,
      model: transcript.engine.model ?? null,
    },
    diarizer: transcript && { name: transcript.diarizer.name, version: transcript.diarizer.version },
  };
}
