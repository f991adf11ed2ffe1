export type * from './api-types';
export {
  Currawong,
  type CurrawongOptions,
  type SendingOptions,
  type TranscribeOptions,
  type WaitOptions,
} from './client';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CurrawongError,
  InsufficientCreditError,
  InvalidRequestError,
  JobFailedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './errors';
export type { StreamEvent } from './event-stream';
export type { Retry } from './http';
export type { Asking, Jobs, ListOptions, TranscriptFormat } from './jobs';
export type { UploadProgress } from './multipart';
export type { Recording } from './recording';
export type { JobProgress } from './wait';
export { verifyWebhook, type VerifyOptions, type WebhookHeaders, WebhookVerificationError } from './webhooks';
