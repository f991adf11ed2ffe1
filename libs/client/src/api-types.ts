// Written from the OpenAPI document; apps/gateway/src/docs/client-types.spec.ts says how.

export interface CreditBody {
  /** What can still be spent, rounded down. */
  balance_aud: string;
  /** For jobs accepted from now on. */
  price_per_minute_aud: string;
  /** Everything that was ever credited, whoever paid for it. */
  total_topped_up_aud: string;
  /** Everything that was ever charged, rounded up. */
  total_used_aud: string;
  /** Free minutes and what the balance buys, rounded down. */
  estimated_remaining_minutes: number;
  /** Whole minutes, rounded down. They are used first. */
  free_minutes_remaining: number;
  /** For jobs with tone and sentiment that are accepted from now on; the estimate is at the price without. */
  price_per_minute_with_analysis_aud: string | null;
}

export interface DeletionReceipt {
  job_id: string;
  mode: 'live' | 'test';
  /** Its owner asked; its account keeps jobs no longer; or its account has been closed for 30 days. */
  reason: 'client' | 'retention' | 'account_closed';
  requested_at: string;
  /** An API key, somebody signed in on the dashboard, or the service itself. */
  requested_by: 'key' | 'session' | 'service';
  /** The key that asked; null for everybody else. */
  key_id: string | null;
  /** When the job was stopped; null where it had ended by itself. */
  cancelled_at: string | null;
  /** When the store last confirmed that nothing is left; null until then. */
  erased_at: string | null;
  /** What was deleted. Earlier versions of an object count as objects. */
  objects: Array<{
    kind: 'recording' | 'transcript' | 'voices' | 'working_file';
    count: number;
    bytes: number;
  }>;
}

export interface JobDetail {
  /** The `job_id` of the receipt. */
  id: string;
  /** `completed` and `failed` are final. */
  status: 'pending' | 'uploading' | 'processing' | 'completed' | 'failed';
  /** As it was sent, made safe to display. */
  original_filename: string;
  /** The primary subtag. Of a completed job that was sent with `auto`: what was detected. */
  language: string;
  /** What is charged for. Null until completed. */
  audio_duration_seconds: number | null;
  /** The seconds divided by 60. Null until completed. */
  audio_duration_minutes: number | null;
  /** Why it failed; else null. */
  error_message: string | null;
  /** When it was sent. */
  created_at: string;
  /** When it was completed or failed; else null. */
  completed_at: string | null;
  /** The share of the work that is done. */
  progress: number;
  /** What was charged; null until that is known. */
  cost_aud: number | null;
  /** Names that were given: `{"Speaker 1": "Katie"}`. */
  speaker_names: Record<string, string>;
  /** Whether the recording is still kept. */
  audio_available: boolean;
  /** As it was sent, or as the speakers were told apart again; null where none was. */
  num_speakers: number | null;
  /** As it was sent; else null. */
  analysis: 'sentiment' | null;
  /** How many jobs that wait come before this one, plus 1; beyond the first thousand to the nearest hundred. Null unless it waits. */
  queue_position: number | null;
  /** From the audio that is still to be recognized before it and of it, and from how fast recognition was in the last minutes. Null where nothing was recognized of late, and once it has ended. */
  estimated_completion_at: string | null;
  /** Whether its speakers are being told apart again. */
  diarization_pending: boolean;
  /** Why that failed last; the result is then as it was. */
  diarization_error: string | null;
  /** The whole text; empty for a recording without speech. Null until completed. */
  transcription: string | null;
  /** One turn a line, `[Speaker 1]: text`; speakers are numbered in the order of their first word. Null until completed. */
  diarization: string | null;
  /** The text in pieces with their times. Null until completed. */
  segments: Array<ShownSegment> | null;
  /** What a reader of the text should know: that less was heard than was promised, say. */
  warnings: Array<string>;
  /** With `analysis=sentiment`, how each speaker spoke by and large and what they said; else null. It is measured, not felt: no emotion is recognized. */
  speakers_summary: Array<{
    speaker: string;
    seconds: number;
    words: number;
    words_per_minute: number;
    sentiment: {
      label: 'positive' | 'neutral' | 'negative';
      score: number;
    } | null;
    tone: {
      pitch_hz: number | null;
      pitch_range_semitones: number | null;
      energy_db: number;
      words_per_minute: number;
      label: 'calm' | 'neutral' | 'animated' | null;
    } | null;
  }> | null;
  /** What recognized the words, and which weights it had. Null until completed. */
  engine: {
    name: string;
    version: string;
    model: string | null;
  } | null;
  /** What told the speakers apart. Null until completed. */
  diarizer: {
    name: string;
    version: string;
  } | null;
}

export interface JobList {
  /** Newest first. */
  jobs: Array<JobListItem>;
  /** Of all pages. */
  total: number;
  page: number;
  page_size: number;
  /** 0 when there is nothing. */
  total_pages: number;
}

export interface JobListItem {
  /** The `job_id` of the receipt. */
  id: string;
  /** `completed` and `failed` are final. */
  status: 'pending' | 'uploading' | 'processing' | 'completed' | 'failed';
  /** As it was sent, made safe to display. */
  original_filename: string;
  /** The primary subtag. Of a completed job that was sent with `auto`: what was detected. */
  language: string;
  /** What is charged for. Null until completed. */
  audio_duration_seconds: number | null;
  /** The seconds divided by 60. Null until completed. */
  audio_duration_minutes: number | null;
  /** Why it failed; else null. */
  error_message: string | null;
  /** When it was sent. */
  created_at: string;
  /** When it was completed or failed; else null. */
  completed_at: string | null;
  /** The share of the work that is done. */
  progress: number;
  /** What was charged; null until that is known. */
  cost_aud: number | null;
  /** Names that were given: `{"Speaker 1": "Katie"}`. */
  speaker_names: Record<string, string>;
  /** Whether the recording is still kept. */
  audio_available: boolean;
  /** As it was sent, or as the speakers were told apart again; null where none was. */
  num_speakers: number | null;
  /** As it was sent; else null. */
  analysis: 'sentiment' | null;
  /** How many jobs that wait come before this one, plus 1; beyond the first thousand to the nearest hundred. Null unless it waits. */
  queue_position: number | null;
  /** From the audio that is still to be recognized before it and of it, and from how fast recognition was in the last minutes. Null where nothing was recognized of late, and once it has ended. */
  estimated_completion_at: string | null;
  /** Whether its speakers are being told apart again. */
  diarization_pending: boolean;
  /** Why that failed last; the result is then as it was. */
  diarization_error: string | null;
}

export interface LanguageList {
  languages: Array<{
    code: string;
    name: string;
  }>;
  /** Whether `auto` may be sent, and the engine finds out. */
  auto: boolean;
  /** The engine that was heard of last; null where none was yet. */
  engine: {
    name: string;
    version: string;
    model: string | null;
  } | null;
}

export interface ShownSegment {
  /** Seconds from the beginning of the recording. */
  start: number;
  /** Seconds from the beginning of the recording. */
  end: number;
  /** As numbered in `diarization`. */
  speaker: string;
  text: string;
  /** 0 to 1; null where the engine gives none. */
  confidence: number | null;
  /** Only with `?words=true`. */
  words?: Array<TranscriptWord>;
  /** What the words tell, by and large. Only with `analysis`; null where the language is not known. */
  sentiment?: {
    label: 'positive' | 'neutral' | 'negative';
    score: number;
  } | null;
  /** How it was said, compared with how the same speaker usually speaks. Only with `analysis`. */
  tone?: {
    pitch_hz: number | null;
    pitch_range_semitones: number | null;
    energy_db: number;
    words_per_minute: number;
    label: 'calm' | 'neutral' | 'animated' | null;
  } | null;
}

export interface SubmissionReceipt {
  /** What to ask for. */
  job_id: string;
  /** Whatever the queue does. */
  status: 'processing';
  /** For people. */
  message: string;
}

export interface TranscriptWord {
  text: string;
  /** Seconds. */
  start: number;
  /** Seconds. */
  end: number;
  /** 0 to 1; null where the engine gives none. */
  confidence: number | null;
}

export interface UsageBody {
  /** First day of the calendar month in Australia/Sydney. */
  billing_period_start: string;
  /** Last day of it. */
  billing_period_end: string;
  /** The plan includes none. */
  included_minutes: 0;
  /** In this period, free minutes as well; by the second, so with decimals. */
  minutes_used: number;
  /** The plan includes none. */
  minutes_remaining: 0;
  /** There is one plan. */
  plan_name: 'Pay As You Go';
  /** What can still be spent, to the micro-AUD. */
  balance_aud: number;
  /** For jobs accepted from now on. */
  price_per_minute_aud: number;
}

export type WebhookEvent = {
  type: 'job.completed' | 'job.failed';
  timestamp: string;
  data: {
    id: string;
    status: 'completed' | 'failed';
    mode: 'live' | 'test';
    language: string;
    audio_duration_seconds: number | null;
    audio_duration_minutes: number | null;
    error_message: string | null;
    created_at: string;
    completed_at: string;
    cost_aud: number;
    num_speakers: number | null;
    analysis: 'sentiment' | null;
  };
} | {
  type: 'webhook.test';
  timestamp: string;
  data: Record<string, never>;
};
