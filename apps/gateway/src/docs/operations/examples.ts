/** One job and one account that all examples are about. */
export const JOB_ID = '019ab3c4-52d1-7a3e-9c1f-3f6b2d0a7e11';
export const UPLOAD_ID = '019ab3c4-60f2-7b1d-8a3e-5d7c9b1e0f22';
export const ACCOUNT_ID = '019ab2f0-0c4e-7d21-8f5a-6b1c9e2d4a30';
export const KEY_ID = '019ab2f1-77aa-7b10-a4c2-0d9e8f7a6b51';
export const TOP_UP_ID = '019ab2f8-1d3c-7e55-b2aa-4c5d6e7f8091';

export const JOB_ITEM = {
  id: JOB_ID,
  status: 'completed',
  original_filename: 'interview.m4a',
  language: 'en',
  audio_duration_seconds: 40,
  audio_duration_minutes: 40 / 60,
  error_message: null,
  created_at: '2026-11-21T03:04:05.678Z',
  completed_at: '2026-11-21T03:04:31.012Z',
  progress: 1,
  cost_aud: 0.013333,
  speaker_names: { 'Speaker 1': 'Katie' },
  audio_available: true,
  num_speakers: 2,
  analysis: null,
  queue_position: null,
  estimated_completion_at: null,
  diarization_pending: false,
  diarization_error: null,
};

export const JOB = {
  ...JOB_ITEM,
  transcription: 'good morning shall we begin yes let us',
  diarization: '[Speaker 1]: good morning shall we begin\n[Speaker 2]: yes let us',
  segments: [
    { start: 0.4, end: 2.3, speaker: 'Speaker 1', text: 'good morning shall we begin', confidence: 0.94 },
    { start: 2.8, end: 3.6, speaker: 'Speaker 2', text: 'yes let us', confidence: 0.91 },
  ],
  warnings: [],
  speakers_summary: null,
  engine: { name: 'faster-whisper', version: '1.2.1', model: 'large-v3' },
  diarizer: { name: 'segmentation-embedding', version: '1' },
};

export const UNFINISHED_JOB = {
  ...JOB_ITEM,
  status: 'processing',
  audio_duration_seconds: null,
  audio_duration_minutes: null,
  completed_at: null,
  progress: 0.4,
  estimated_completion_at: '2026-11-21T03:04:33.000Z',
  cost_aud: null,
  speaker_names: {},
};

export const DELETION = {
  job_id: JOB_ID,
  mode: 'live',
  reason: 'client',
  requested_at: '2026-11-21T05:06:07.890Z',
  requested_by: 'key',
  key_id: KEY_ID,
  cancelled_at: null,
  erased_at: '2026-11-21T05:06:08.321Z',
  objects: [
    { kind: 'recording', count: 1, bytes: 1_280_044 },
    { kind: 'transcript', count: 1, bytes: 8_213 },
    { kind: 'voices', count: 1, bytes: 20_512 },
  ],
};

export const ACCOUNT = {
  id: ACCOUNT_ID,
  email: 'katie@example.com',
  email_confirmed: true,
  name: 'Wattle Street Legal',
  state: 'active',
  created_at: '2026-11-20T22:10:00.000Z',
  has_password: true,
  audio_retention_days: 30,
  transcript_retention_days: 365,
  low_balance_notice_aud: '5.000000',
};

export const KEY = {
  id: KEY_ID,
  name: 'production',
  mode: 'live',
  prefix: 'sk_live_4fGh',
  last_four: 'x9Kd',
  created_at: '2026-11-20T22:12:00.000Z',
  last_used_at: '2026-11-21T03:04:00.000Z',
  revoked_at: null,
};

export const TOP_UP = {
  id: TOP_UP_ID,
  amount_aud: '25.00',
  state: 'open',
  created_at: '2026-11-21T02:00:00.000Z',
  paid_at: null,
  checkout_url: 'https://checkout.stripe.com/c/pay/cs_live_a1',
};
