/** What a field's name and type do not say, by schema: units, when it is null, how it is rounded. */
export const FIELD_NOTES: Record<string, Record<string, string>> = {
  SubmissionReceipt: {
    job_id: 'What to ask for.',
    status: 'Whatever the queue does.',
    message: 'For people.',
  },
  StoreUpload: {
    upload_id: 'What to submit; the job has the same id.',
    part_size_bytes: 'How long each part is but the last.',
    parts: 'Where to PUT which bytes: the parts follow each other in the file.',
    expires_at: 'Until then the URLs are good, and the upload can be submitted.',
  },
  JobListItem: jobNotes(),
  JobDetail: {
    ...jobNotes(),
    transcription: 'The whole text; empty for a recording without speech. Null until completed.',
    diarization:
      'One turn a line, `[Speaker 1]: text`; speakers are numbered in the order of their first word. Null until completed.',
    segments: 'The text in pieces with their times. Null until completed.',
    engine: 'What recognized the words, and which weights it had. Null until completed.',
    diarizer: 'What told the speakers apart. Null until completed.',
    speakers_summary:
      'With `analysis=sentiment`, how each speaker spoke by and large and what they said; else null. It is measured, not felt: ' +
      'no emotion is recognized.',
    warnings: 'What a reader of the text should know: that less was heard than was promised, say.',
  },
  ShownSegment: {
    start: 'Seconds from the beginning of the recording.',
    end: 'Seconds from the beginning of the recording.',
    speaker: 'As numbered in `diarization`.',
    confidence: '0 to 1; null where the engine gives none.',
    words: 'Only with `?words=true`.',
    sentiment:
      'What the words tell, by and large. Only with `analysis`; null where the language is not known.',
    tone: 'How it was said, compared with how the same speaker usually speaks. Only with `analysis`.',
  },
  TranscriptWord: {
    start: 'Seconds.',
    end: 'Seconds.',
    confidence: '0 to 1; null where the engine gives none.',
  },
  JobList: {
    jobs: 'Newest first.',
    total: 'Of all pages.',
    total_pages: '0 when there is nothing.',
  },
  WebhookDelivery: deliveryNotes(),
  WebhookDeliveryDetail: {
    ...deliveryNotes(),
    payload: 'The body that is sent, as JSON; it is sent byte for byte the same at every attempt.',
    attempts: 'Oldest first.',
  },
  WebhookAttempt: {
    number: 'From 1.',
    status_code: 'Null where there was no answer.',
    error: 'Why there was no answer; null where there was one.',
    answer: 'The beginning of the answer’s body, without control characters.',
  },
  WebhookSettings: {
    url: 'Where the ends of jobs are told that name no address of their own. Null for none.',
    disabled: 'Whether nothing is sent there until it is set again: its receiver answered 410.',
  },
  WebhookSecret: {
    secret: 'For the libraries of standardwebhooks.com.',
    previous_expires_at: 'Until when the secret before it signs as well; null where there is none.',
  },
  UsageBody: {
    billing_period_start: 'First day of the calendar month in Australia/Sydney.',
    billing_period_end: 'Last day of it.',
    included_minutes: 'The plan includes none.',
    minutes_used: 'In this period, free minutes as well; by the second, so with decimals.',
    minutes_remaining: 'The plan includes none.',
    plan_name: 'There is one plan.',
    balance_aud: 'What can still be spent, to the micro-AUD.',
    price_per_minute_aud: 'For jobs accepted from now on.',
  },
  CreditBody: {
    balance_aud: 'What can still be spent, rounded down.',
    price_per_minute_aud: 'For jobs accepted from now on.',
    total_topped_up_aud: 'Everything that was ever credited, whoever paid for it.',
    total_used_aud: 'Everything that was ever charged, rounded up.',
    estimated_remaining_minutes: 'Free minutes and what the balance buys, rounded down.',
    free_minutes_remaining: 'Whole minutes, rounded down. They are used first.',
    price_per_minute_with_analysis_aud:
      'For jobs with tone and sentiment that are accepted from now on; the estimate is at the price without.',
  },
  UsageBreakdown: {
    days: 'Every day of the month up to today.',
    keys: '`key_id` and `name` are null for what was sent in the dashboard.',
  },
  Statement: {
    tax_invoice: 'Whether this is a tax invoice: it has payments, and the supplier is registered for GST.',
    held_aud: 'Set aside for jobs that have not ended; null for months that are over.',
    closing_balance_aud:
      'The opening balance plus all amounts, exactly. What is held has not been taken off.',
    lines: 'In the order of booking, at most 500.',
    next_after: 'The `after` of the next page; null on the last.',
  },
  StatementLine: {
    audio_seconds: 'Of a job: what was charged for, free seconds included.',
    amount_aud: 'Negative for a charge.',
    gst_aud: 'Of a payment: the GST in it, one eleventh.',
    free_seconds: 'Granted, or used (negative).',
    key_id: 'The key that the job was sent with; null for the dashboard.',
  },
  DeletionReceipt: {
    reason: 'Its owner asked; its account keeps jobs no longer; or its account has been closed for 30 days.',
    requested_by: 'An API key, somebody signed in on the dashboard, or the service itself.',
    key_id: 'The key that asked; null for everybody else.',
    cancelled_at: 'When the job was stopped; null where it had ended by itself.',
    erased_at: 'When the store last confirmed that nothing is left; null until then.',
    objects: 'What was deleted. Earlier versions of an object count as objects.',
  },
  DeletionList: {
    deletions: 'Newest first.',
    total: 'Of all pages.',
    total_pages: '0 when there is nothing.',
  },
  TopUpBody: { checkout_url: 'Where to pay; null once that is no longer possible.' },
  TopUpList: { available: 'Whether payments by card are set up here.' },
  LanguageList: {
    auto: 'Whether `auto` may be sent, and the engine finds out.',
    engine: 'The engine that was heard of last; null where none was yet.',
  },
  ErrorBody: { detail: 'One or two sentences that say what to do.' },
  QueueStatus: {
    pending: 'The caller’s jobs that wait.',
    processing: 'The caller’s jobs that are being worked on.',
  },
  SessionBody: { csrf_token: 'Goes into `X-CSRF-Token` of every request that changes something.' },
  ApiKeyBody: { last_used_at: 'To the minute.', prefix: 'How the key begins.', last_four: 'How it ends.' },
  CreatedApiKey: {
    api_key: 'The whole key, this once.',
    prefix: 'How the key begins.',
    last_four: 'How it ends.',
  },
};

function jobNotes(): Record<string, string> {
  return {
    id: 'The `job_id` of the receipt.',
    status: '`completed` and `failed` are final.',
    original_filename: 'As it was sent, made safe to display.',
    language: 'The primary subtag. Of a completed job that was sent with `auto`: what was detected.',
    audio_duration_seconds: 'What is charged for. Null until completed.',
    audio_duration_minutes: 'The seconds divided by 60. Null until completed.',
    error_message: 'Why it failed; else null.',
    created_at: 'When it was sent.',
    completed_at: 'When it was completed or failed; else null.',
    progress: 'The share of the work that is done.',
    cost_aud: 'What was charged; null until that is known.',
    speaker_names: 'Names that were given: `{"Speaker 1": "Katie"}`.',
    audio_available: 'Whether the recording is still kept.',
    num_speakers: 'As it was sent, or as the speakers were told apart again; null where none was.',
    analysis: 'As it was sent; else null.',
    queue_position:
      'How many jobs that wait come before this one, plus 1; beyond the first thousand to the nearest hundred. Null unless it waits.',
    estimated_completion_at:
      'From the audio that is still to be recognized before it and of it, and from how fast recognition was in the last ' +
      'minutes. Null where nothing was recognized of late, and once it has ended.',
    diarization_pending: 'Whether its speakers are being told apart again.',
    diarization_error: 'Why that failed last; the result is then as it was.',
  };
}

function deliveryNotes(): Record<string, string> {
  return {
    id: 'The header `webhook-id` of every attempt.',
    job_id: 'Null for a test.',
    status: '`failed` after the last attempt of the schedule, or a 410.',
    attempt_count: 'Replays as well.',
    last_status_code: 'Null where there was no answer.',
    last_error: 'Why there was no answer, or why there will be no attempt.',
    next_attempt_at: 'Null where none is to come.',
  };
}
