import { openAiError } from './error-body';
import { isOpenAiPath } from './routes';

it.each([
  [
    401,
    'Invalid or missing API key',
    'invalid_api_key',
    { type: 'invalid_request_error', code: 'invalid_api_key', param: null },
  ],
  [
    402,
    'Top up: AUD 1.',
    'insufficient_credit',
    { type: 'insufficient_quota', code: 'insufficient_quota', param: null },
  ],
  [429, 'Wait.', 'rate_limited', { type: 'requests', code: 'rate_limit_exceeded', param: null }],
  [
    400,
    'file: the file is empty.',
    'file_empty',
    { type: 'invalid_request_error', code: 'file_empty', param: 'file' },
  ],
  [
    400,
    'include[]: must be left out',
    'invalid_parameter',
    { type: 'invalid_request_error', code: 'invalid_parameter', param: 'include[]' },
  ],
  [422, 'job: it failed', 'job_failed', { type: 'invalid_request_error', code: 'job_failed', param: null }],
  [503, 'In a moment.', 'unavailable', { type: 'server_error', code: 'unavailable', param: null }],
])('%i "%s" is what the SDKs expect', (status, detail, code, error) => {
  expect(openAiError(status, detail, code)).toEqual({ message: detail, ...error });
});

it.each(['/v1/audio/transcriptions', '/api/v1/audio/translations/', '/V1/models', '/v1/models/whisper-1'])(
  '%s answers as OpenAI does',
  (path) => expect(isOpenAiPath(path)).toBe(true),
);

it.each(['/v1/transcribe', '/v1/audio', '/v1/audio/transcriptions/x', '/v1/jobs', '/models', '/x/v1/models'])(
  '%s does not',
  (path) => expect(isOpenAiPath(path)).toBe(false),
);
