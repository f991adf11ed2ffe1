import { z } from 'zod';
import { Analysis, JobStatus, NumSpeakers, SpeakerNames } from '../jobs';
import { EngineIdentity, SpeakerSummary, TranscriptSegment } from '../transcript';
import { Timestamp } from './primitives';

const SPEAKERS_RULE = 'must be a whole number from 1 to 10, or null';

/** The answer to POST /transcribe. */
export const SubmissionReceipt = z.object({
  job_id: z.uuid(),
  status: z.literal('processing'),
  message: z.string(),
});
export type SubmissionReceipt = z.infer<typeof SubmissionReceipt>;

/** A job in a list: the detail form without its texts. */
export const JobListItem = z.object({
  id: z.uuid(),
  status: JobStatus,
  original_filename: z.string(),
  language: z.string(),
  audio_duration_seconds: z.number().int().nullable(),
  audio_duration_minutes: z.number().nullable(),
  error_message: z.string().nullable(),
  created_at: Timestamp,
  completed_at: Timestamp.nullable(),
  progress: z.number().min(0).max(1),
  cost_aud: z.number().nullable(),
  speaker_names: SpeakerNames,
  /** Whether GET /jobs/{id}/audio has something to give. */
  audio_available: z.boolean(),
  num_speakers: NumSpeakers,
  analysis: Analysis.nullable(),
  queue_position: z.number().int().nullable(),
  estimated_completion_at: Timestamp.nullable(),
  diarization_pending: z.boolean(),
  diarization_error: z.string().nullable(),
});
export type JobListItem = z.infer<typeof JobListItem>;

/** A segment as it is shown; `words` only where they were asked for. */
export const ShownSegment = TranscriptSegment.partial({ words: true });
export type ShownSegment = z.infer<typeof ShownSegment>;

/** The program that recognized the words, and its weights. */
export const ShownEngine = EngineIdentity.extend({ model: z.string().nullable() });
/** The program that told the speakers apart. */
export const ShownDiarizer = EngineIdentity.omit({ model: true });

/** The answer to GET /jobs/{id}. */
export const JobDetail = JobListItem.extend({
  transcription: z.string().nullable(),
  diarization: z.string().nullable(),
  segments: z.array(ShownSegment).nullable(),
  warnings: z.array(z.string()),
  speakers_summary: z.array(SpeakerSummary).nullable(),
  engine: ShownEngine.nullable(),
  diarizer: ShownDiarizer.nullable(),
});
export type JobDetail = z.infer<typeof JobDetail>;

/** The answer to GET /jobs. */
export const JobList = z.object({
  jobs: z.array(JobListItem),
  total: z.number().int(),
  page: z.number().int(),
  page_size: z.number().int(),
  total_pages: z.number().int(),
});
export type JobList = z.infer<typeof JobList>;

/** The body of PATCH /jobs/{id}. */
export const JobChange = z.object({ speaker_names: SpeakerNames });
export type JobChange = z.infer<typeof JobChange>;

/** The body of POST /jobs/{id}/diarization; null for a number that is to be found. */
export const DiarizationRequest = z.object({
  num_speakers: z
    .number(SPEAKERS_RULE)
    .int(SPEAKERS_RULE)
    .min(1, SPEAKERS_RULE)
    .max(10, SPEAKERS_RULE)
    .nullable(),
});
export type DiarizationRequest = z.infer<typeof DiarizationRequest>;

/** The answer to GET /languages. */
export const LanguageList = z.object({
  languages: z.array(z.object({ code: z.string(), name: z.string() })),
  /** Whether `auto` may be sent for `language`. */
  auto: z.boolean(),
  engine: ShownEngine.nullable(),
});
export type LanguageList = z.infer<typeof LanguageList>;

export const TranscriptFormat = z.enum(['json', 'txt', 'srt', 'vtt'], 'must be one of json, txt, srt, vtt');
export type TranscriptFormat = z.infer<typeof TranscriptFormat>;

/** The answer to GET /queue/status. */
export const QueueStatus = z.object({
  status: z.literal('ok'),
  pending: z.number().int(),
  processing: z.number().int(),
});

/** The answer to GET /status/{id}. */
export const LegacyStatus = z.object({
  status: z.enum(['PENDING', 'UPLOADING', 'PROCESSING', 'COMPLETE', 'FAILED']),
});

export const HealthBody = z.object({ status: z.literal('ok') });
