/**
 * The one registry of what can go wrong in front of a client: a stable code, the HTTP status it becomes at the
 * gateway, whether the same call may succeed later, and the text shown when the place that refused had nothing
 * more exact to say. Texts say what to do next and never name a host, a table or a file of ours.
 */
export const ERRORS = {
  invalid_api_key: { status: 401, retryable: false, text: 'Invalid or missing API key' },
  account_inactive: {
    status: 403,
    retryable: false,
    text: 'This account is not active. Contact support to have it opened again.',
  },
  sign_in_required: { status: 401, retryable: false, text: 'Sign in first.' },
  wrong_credentials: { status: 401, retryable: false, text: 'The email address or the password is wrong.' },
  cross_site_request: {
    status: 403,
    retryable: false,
    text: 'The request did not come from the dashboard. Reload the page and try again.',
  },
  rate_limited: { status: 429, retryable: true, text: 'The rate limit is exceeded. Wait, then try again.' },
  too_many_jobs: {
    status: 429,
    retryable: true,
    text: 'This account has as many unfinished jobs as it may have. Wait until some have ended, then send the recording again.',
  },
  overloaded: {
    status: 503,
    retryable: true,
    text: 'The service is busy. Wait, then send the recording again; nothing was kept of it.',
  },
  too_many_failures: {
    status: 429,
    retryable: true,
    text: 'The rate limit for failed attempts is exceeded. Wait, then try again.',
  },
  link_expired: {
    status: 400,
    retryable: false,
    text: 'This link is no longer valid. Ask for a new one.',
  },
  sign_up_closed: { status: 403, retryable: false, text: 'New accounts are made by the operator here.' },
  malformed_request: { status: 400, retryable: false, text: 'The request is not well-formed HTTP.' },
  request_timeout: {
    status: 408,
    retryable: true,
    text: 'The request did not arrive in time. Send it again.',
  },
  expectation_unsupported: {
    status: 417,
    retryable: false,
    text: 'Of the Expect header only the value 100-continue is understood.',
  },
  headers_too_large: { status: 431, retryable: false, text: 'The headers of the request are too large.' },
  invalid_parameter: { status: 400, retryable: false, text: 'A parameter has a value that is not allowed.' },
  body_unreadable: {
    status: 400,
    retryable: false,
    text: 'The request body could not be read. Send multipart/form-data with one part named "file".',
  },
  file_missing: {
    status: 400,
    retryable: false,
    text: 'file: no file was sent. Send one part named "file".',
  },
  file_empty: { status: 400, retryable: false, text: 'file: the file is empty.' },
  file_type_unsupported: {
    status: 400,
    retryable: false,
    // Which types are accepted is known, and said, where files are looked at.
    text: 'file: this type of file is not supported.',
  },
  file_too_large: { status: 400, retryable: false, text: 'file: the file is too large.' },
  too_many_files: { status: 400, retryable: false, text: 'file: send exactly one file.' },
  too_slow: {
    status: 400,
    retryable: true,
    text: 'The upload was too slow and was ended. Try again over a faster connection.',
  },
  client_gone: {
    status: 400,
    retryable: true,
    text: 'The connection ended before the whole recording had arrived. Send it again.',
  },
  undecodable_audio: {
    status: 400,
    retryable: false,
    text: 'file: no audio could be read from this file. Check that it plays, then send it again.',
  },
  recording_too_long: {
    status: 400,
    retryable: false,
    text: 'file: the recording is longer than is allowed. Split it and send the parts.',
  },
  insufficient_credit: {
    status: 402,
    retryable: false,
    text: 'There is not enough credit. Top up, then send the recording again.',
  },
  test_allowance_used: {
    status: 402,
    retryable: true,
    text: 'The test keys of this account have used their 30 minutes of audio for today. Use a live key or wait until tomorrow.',
  },
  job_not_found: { status: 404, retryable: false, text: 'Job not found' },
  job_failed: {
    status: 422,
    retryable: false,
    text: 'The recording could not be transcribed, and nothing was charged.',
  },
  model_not_found: {
    status: 404,
    retryable: false,
    text: 'There is no such model. Any name is accepted for transcriptions; GET /v1/models lists those that exist.',
  },
  translation_unavailable: {
    status: 404,
    retryable: false,
    text: 'Translations are not made here. Send the recording to /v1/audio/transcriptions for its text in its own language.',
  },
  not_found: { status: 404, retryable: false, text: 'Not found' },
  account_not_found: { status: 404, retryable: false, text: 'There is no such account.' },
  deletion_not_found: { status: 404, retryable: false, text: 'Nothing of such a job was deleted.' },
  job_cancelled: {
    status: 409,
    retryable: false,
    text: 'The job was cancelled while its recording arrived. Nothing was kept and nothing charged.',
  },
  key_not_found: { status: 404, retryable: false, text: 'There is no such key.' },
  audio_not_found: { status: 404, retryable: false, text: 'The recording of this job is not kept any more.' },
  range_not_satisfiable: { status: 416, retryable: false, text: 'The recording has no such bytes.' },
  transcript_not_ready: {
    status: 409,
    retryable: true,
    text: 'There is no transcript: the job has not completed.',
  },
  diarization_pending: {
    status: 409,
    retryable: true,
    text: 'The speakers of this job are being told apart already. Wait until that is done, then ask again.',
  },
  voices_erased: {
    status: 410,
    retryable: false,
    text: 'What is needed to tell the speakers apart again is not kept any more. Send the recording again.',
  },
  payments_unavailable: {
    status: 503,
    retryable: false,
    text: 'Payments by card are not set up here. Ask the operator to add credit.',
  },
  method_not_allowed: { status: 405, retryable: false, text: 'Method not allowed' },
  key_limit_reached: {
    status: 409,
    retryable: false,
    text: 'An account has at most 3 unrevoked keys. Revoke one, then create another.',
  },
  email_taken: {
    status: 409,
    retryable: false,
    text: 'There is an account with this email address already.',
  },
  idempotency_key_reused: {
    status: 409,
    retryable: false,
    text: 'Idempotency-Key: it was used for another file or other fields in the last 24 hours. To send this recording, use a new key; to repeat the earlier request, send exactly what it sent.',
  },
  submission_pending: {
    status: 503,
    retryable: true,
    text: 'Idempotency-Key: an equal request is still being accepted. Wait for the seconds of Retry-After, then send the same request again.',
  },
  upload_not_found: {
    status: 404,
    retryable: false,
    text: 'upload_id: there is no such upload, or its time is over. Make one with POST /api/v1/uploads.',
  },
  upload_incomplete: {
    status: 400,
    retryable: true,
    text: 'upload_id: not everything has arrived. Put the missing parts, then submit it again.',
  },
  too_many_uploads: {
    status: 409,
    retryable: true,
    text: 'The account has too many open uploads. Submit some of them, or wait until they expire.',
  },
  file_url_refused: {
    status: 400,
    retryable: false,
    text: 'file_url: it must be an https address that can be reached from the internet.',
  },
  file_url_failed: {
    status: 400,
    retryable: true,
    text: 'file_url: the recording could not be fetched from there. Check the address, then try again.',
  },
  webhook_not_set: {
    status: 409,
    retryable: false,
    text: 'There is no webhook address that is in use. Set one first.',
  },
  delivery_not_found: { status: 404, retryable: false, text: 'Delivery not found' },
  conflict: { status: 409, retryable: false, text: 'The request contradicts what is stored already.' },
  upload_failed: {
    status: 500,
    retryable: true,
    text: 'The upload failed and nothing was kept. Send the recording again.',
  },
  submission_failed: {
    status: 500,
    retryable: true,
    text: 'The recording could not be submitted and nothing was kept. Send it again.',
  },
  internal: { status: 500, retryable: true, text: 'Something went wrong on our side. Try again.' },
  unavailable: {
    status: 503,
    retryable: true,
    text: 'The service cannot do this now. Try again in a moment.',
  },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  status: number;
  retryable: boolean;
  text: string;
}

export type ErrorCode = keyof typeof ERRORS;

/** A refusal is an answer, not an accident: the caller must look at it. Breakdowns are exceptions instead. */
export interface Refusal {
  code: ErrorCode;
  detail: string;
}

export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

export function accept<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** @param detail shown to the client; the registry's text where it is left out */
export function refuse(code: ErrorCode, detail?: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, detail: detail ?? ERRORS[code].text } };
}
