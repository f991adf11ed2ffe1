import type { KeyMode, SessionBody } from '@currawong/contracts';
import { mode } from './mode';

/** What went wrong, in the words of the API. `status` is 0 where no answer came at all. */
export interface Problem {
  status: number;
  detail: string;
  /** How long to wait before the same may be tried again; null where nothing was said. */
  retryAfterSeconds: number | null;
}
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

/** The same for those who can only be told by an exception. */
export class ApiError extends Error implements Problem {
  readonly status: number;
  readonly detail: string;
  readonly retryAfterSeconds: number | null;

  constructor({ status, detail, retryAfterSeconds }: Problem) {
    super(detail);
    this.status = status;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let session: SessionBody | null = null;
let onSignedOut: () => void = () => undefined;

/** Kept here because every request that changes something carries the session's token. */
export function rememberSession(known: SessionBody | null): void {
  session = known;
}

/** @param listener called when an answer says that nobody is signed in any more */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export function apiUrl(path: string): string {
  return `/api/v1${path}`;
}

/** The headers of every request; an upload sends them as well. */
export function requestHeaders(method: Method, inMode: KeyMode = mode.get()): Record<string, string> {
  return {
    Accept: 'application/json',
    ...(inMode === 'test' && { 'X-Currawong-Mode': 'test' }),
    ...(method !== 'GET' && session && { 'X-CSRF-Token': session.csrf_token }),
  };
}

export function get<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
  return request<T>('GET', path, undefined, signal);
}

/** Sends JSON. What went wrong is a value to look at, never an exception. */
export function send<T>(method: Exclude<Method, 'GET'>, path: string, body?: unknown): Promise<Answer<T>> {
  return request<T>(method, path, body);
}

/** A file of the account as it is: for what a plain link cannot ask for, since links send no headers. */
export async function getBlob(path: string, signal?: AbortSignal): Promise<Answer<Blob>> {
  const response = await ask('GET', path, undefined, signal);
  if (!(response instanceof Response)) return { ok: false, problem: response };
  if (!response.ok) return { ok: false, problem: await problemOf(response, path) };
  try {
    return { ok: true, value: await response.blob() };
  } catch {
    return { ok: false, problem: UNREACHABLE };
  }
}

async function request<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer<T>> {
  let response = await ask(method, path, body, signal);
  if (
    response instanceof Response &&
    response.status === 403 &&
    method !== 'GET' &&
    (await sessionIsRenewed())
  )
    response = await ask(method, path, body, signal);
  if (!(response instanceof Response)) return { ok: false, problem: response };
  if (!response.ok) return { ok: false, problem: await problemOf(response, path) };
  try {
    return { ok: true, value: (await response.json()) as T };
  } catch {
    return { ok: false, problem: UNREACHABLE };
  }
}

async function ask(
  method: Method,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response | Problem> {
  try {
    return await fetch(apiUrl(path), {
      method,
      headers: {
        ...requestHeaders(method),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    return UNREACHABLE;
  }
}

/**
 * Signing in again in another tab makes a new session, whose token this page does not know yet. Where it is another
 * account's, nothing on this page is right any more.
 * @returns whether what was refused for its token may be tried once more
 */
export async function sessionIsRenewed(): Promise<boolean> {
  const before = session;
  if (!before) return false;
  const response = await ask('GET', '/session', undefined);
  if (!(response instanceof Response) || !response.ok) return false;
  session = (await response.json()) as SessionBody;
  if (session.account.id === before.account.id) return session.csrf_token !== before.csrf_token;
  location.reload();
  return false;
}

async function problemOf(response: Response, path: string): Promise<Problem> {
  const body = await response.text().catch(() => '');
  return readProblem(path, response.status, body, (name) => response.headers.get(name));
}

/** The problem that an answer tells of, also one that a proxy in between has made. */
export function readProblem(
  path: string,
  status: number,
  body: string,
  header: (name: string) => string | null,
): Problem {
  // A wrong password is also a 401, but says nothing of the session.
  if (status === 401 && path !== '/session') onSignedOut();
  const seconds = Number(header('Retry-After') ?? Number.NaN);
  return {
    status,
    detail: detailOf(body) ?? `The service answered with an error (${status}). Try again in a moment.`,
    retryAfterSeconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : null,
  };
}

function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' && detail !== '' ? detail : undefined;
  } catch {
    return undefined;
  }
}

export const UNREACHABLE: Problem = {
  status: 0,
  detail: 'The service cannot be reached. Check the connection, then try again.',
  retryAfterSeconds: null,
};
