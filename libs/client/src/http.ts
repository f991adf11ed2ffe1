import { ApiError, apiError, ConnectionError } from './errors';

export interface Retry {
  /** From 1. */
  attempt: number;
  delaySeconds: number;
  error: ApiError | ConnectionError;
}

export interface HttpOptions {
  apiKey: string;
  /** Such as `https://currawong.example`; the path of the API may be left out. */
  baseUrl: string;
  /** How often a request is sent again after it failed for a reason that passes; 4 unless set. */
  maxRetries?: number;
  /** A longer Retry-After is not waited for; 120 seconds unless set. */
  maxRetryDelaySeconds?: number;
  /** For an answer to a request without a recording; 60 seconds unless set. */
  timeoutSeconds?: number;
  /** Heard before each wait. */
  onRetry?: (retry: Retry) => void;
  fetch?: typeof fetch;
}

export interface HttpBody {
  body: string | FormData | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
  /** What went wrong on our side, where the body could not be read to its end. */
  failure?: Error;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`. */
  path: string;
  headers?: Record<string, string>;
  /** Made anew for each attempt, because a stream can be read once. */
  body?: () => HttpBody;
  signal?: AbortSignal | undefined;
  /** Whether it may be sent again although the service may have done it; else only what was refused is. */
  repeatable: boolean;
  /** Tried once: there is another way. */
  once?: boolean;
  /** Uploads and streams take as long as they take. */
  unlimitedTime?: boolean;
}

const BACKOFF_SECONDS = 0.5;
const LONGEST_BACKOFF_SECONDS = 8;
/** Refused before anything was done. */
const REFUSED_FOR_NOW = [429, 503];
const PASSING = [408, 429, 500, 502, 503, 504];

/** Requests to one service with one key, sent again while what hinders them may pass. */
export class Http {
  readonly apiUrl: string;
  private readonly options: Required<Omit<HttpOptions, 'onRetry'>> & Pick<HttpOptions, 'onRetry'>;

  constructor(options: HttpOptions) {
    this.options = {
      maxRetries: 4,
      maxRetryDelaySeconds: 120,
      timeoutSeconds: 60,
      // Called as a method it would have another `this`, which browsers refuse.
      fetch: (input, init) => fetch(input, init),
      ...definedOf(options),
    };
    this.apiUrl = apiUrlOf(options.baseUrl);
  }

  /**
   * @throws ApiError where the service refuses, ConnectionError where it cannot be reached, and the reason of `signal`
   *   once that is aborted
   */
  async send(request: HttpRequest): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(request);
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
        const delaySeconds = this.delayBefore(attempt, error, request);
        if (delaySeconds === undefined) throw error;
        this.options.onRetry?.({ attempt, delaySeconds, error });
        await pause(delaySeconds, request.signal);
      }
    }
  }

  async json<T>(request: HttpRequest): Promise<T> {
    const response = await this.send(request);
    try {
      return (await response.json()) as T;
    } catch (error) {
      request.signal?.throwIfAborted();
      throw new ConnectionError(`The answer of ${this.apiUrl} broke off or is not JSON.`, { cause: error });
    }
  }

  private async attempt(request: HttpRequest): Promise<Response> {
    request.signal?.throwIfAborted();
    const sent = request.body?.();
    let response: Response;
    try {
      response = await this.options.fetch(`${this.apiUrl}${request.path}`, {
        method: request.method,
        headers: { 'X-API-Key': this.options.apiKey, ...request.headers, ...sent?.headers },
        // A key must not be carried to another address.
        redirect: 'error',
        signal: this.signalOf(request),
        ...(sent && { body: sent.body, ...(sent.body instanceof ReadableStream && { duplex: 'half' }) }),
      });
    } catch (error) {
      request.signal?.throwIfAborted();
      if (sent?.failure) throw sent.failure;
      throw new ConnectionError(`${this.apiUrl} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
    if (response.ok) return response;
    throw await refusalOf(response);
  }

  private signalOf({ signal, unlimitedTime }: HttpRequest): AbortSignal | null {
    if (unlimitedTime) return signal ?? null;
    const timeout = AbortSignal.timeout(this.options.timeoutSeconds * 1000);
    return signal ? AbortSignal.any([signal, timeout]) : timeout;
  }

  /** Undefined where it is not to be sent again. */
  private delayBefore(
    attempt: number,
    error: ApiError | ConnectionError,
    { repeatable, once }: HttpRequest,
  ): number | undefined {
    if (once || attempt > this.options.maxRetries) return undefined;
    const passes =
      error instanceof ApiError
        ? (repeatable ? PASSING : REFUSED_FOR_NOW).includes(error.status)
        : repeatable;
    if (!passes) return undefined;
    const asked = error instanceof ApiError ? error.retryAfter : undefined;
    if (asked !== undefined) return asked <= this.options.maxRetryDelaySeconds ? asked : undefined;
    const longest = Math.min(BACKOFF_SECONDS * 2 ** (attempt - 1), LONGEST_BACKOFF_SECONDS);
    // Many clients that failed together must not come back together.
    return longest * (0.5 + Math.random() / 2);
  }
}

/** Settles after the seconds; rejects with the signal's reason. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

async function refusalOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  return apiError(response.status, detailOf(text, response.status), retryAfterOf(response.headers));
}

function detailOf(text: string, status: number): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string' && detail !== '') return detail;
  } catch {
    // A proxy on the way has pages of its own.
  }
  return `The service answered ${status}.`;
}

/** Seconds, or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const sent = headers.get('retry-after');
  if (sent === null) return undefined;
  if (/^\d+$/.test(sent)) return Number(sent);
  const atMs = Date.parse(sent);
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - Date.now()) / 1000);
}

/** Whatever of the address was copied: with or without a slash, a version, the whole path. */
function apiUrlOf(baseUrl: string): string {
  if (!/^https?:\/\/[^/\s]/.test(baseUrl))
    throw new TypeError(`baseUrl must begin with https:// or http://, and is "${baseUrl}".`);
  return `${baseUrl.replace(/\/+$/, '').replace(/(\/api)?\/v1$/, '')}/api/v1`;
}

/** What fetch says is "fetch failed"; what was the matter is in its cause. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return name === 'TimeoutError' ? 'it did not answer in time.' : cause?.message || cause?.code || message;
}

/** Without the fields that are set to undefined, which would win over the defaults. */
function definedOf<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
