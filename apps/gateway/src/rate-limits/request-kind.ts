import type { IncomingMessage } from 'node:http';

/** Pages, probes and the home page are answered to anyone, and a key sent along changes nothing. */
const FREE = /^\/($|docs(\/|$)|dashboard(\/|$)|favicon\.ico$|health(\/|$)|(api\/)?v1\/health\/?$)/i;
/** As loose as the router is: in another case or with a slash at the end it is the same route. */
const TRANSCRIBE = /^\/(api\/)?v1\/transcribe\/?$/i;

export function isCounted(request: IncomingMessage): boolean {
  return !FREE.test(pathOf(request));
}

export function isTranscribe(request: IncomingMessage): boolean {
  return request.method === 'POST' && TRANSCRIBE.test(pathOf(request));
}

function pathOf({ url = '/' }: IncomingMessage): string {
  // A request line may hold a whole address.
  return url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}
