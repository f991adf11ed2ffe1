import type { JobDetail } from './api-types';

/** Everything that this library throws on purpose. */
export class CurrawongError extends Error {
  override readonly name: string = 'CurrawongError';
}

/** The service could not be reached, or what answered is not the service. */
export class ConnectionError extends CurrawongError {
  override readonly name = 'ConnectionError';
}

/** The service refused: `detail` is its own sentence, which says what to do. */
export class ApiError extends CurrawongError {
  override readonly name: string = 'ApiError';

  /** @param retryAfter seconds after which the same request may be sent again; undefined where it did not say */
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly retryAfter: number | undefined,
  ) {
    super(detail);
  }
}

/** 400: something in the request is not allowed. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** 401: the API key is missing, wrong or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 402: the balance, or the day's allowance of a test key, does not cover the recording. */
export class InsufficientCreditError extends ApiError {
  override readonly name = 'InsufficientCreditError';
}

/** 403: the account is not active. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 404: there is no such job for this key. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the request contradicts what is there, such as another request with the same idempotency key. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 429, after all retries. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx, after all retries. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** A job that was waited for has failed, and nothing was charged for it. */
export class JobFailedError extends CurrawongError {
  override readonly name = 'JobFailedError';

  constructor(readonly job: JobDetail) {
    super(job.error_message ?? 'The job failed without a reason.');
  }
}

const CLASSES: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

export function apiError(status: number, detail: string, retryAfter: number | undefined): ApiError {
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Class(status, detail, retryAfter);
}
