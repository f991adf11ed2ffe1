import type { Request } from 'express';

/** Pages, probes and the home page are answered to anyone, and a key sent along changes nothing. */
const FREE = /^\/($|docs(\/|$)|dashboard(\/|$)|favicon\.ico$|health(\/|$)|(api\/)?v1\/health\/?$)/i;
/** As loose as the router is: in another case or with a slash at the end it is the same route. */
const TRANSCRIBE = /^\/(api\/)?v1\/(transcribe|audio\/transcriptions)\/?$/i;

/** What is looked at is the path that the router matches, so that nothing is routed as one thing and counted as another. */
type Routed = Pick<Request, 'method' | 'path'>;

export function isCounted({ path }: Routed): boolean {
  return !FREE.test(path);
}

export function isTranscribe({ method, path }: Routed): boolean {
  return method === 'POST' && TRANSCRIBE.test(path);
}
