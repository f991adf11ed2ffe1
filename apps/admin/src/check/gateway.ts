import { CheckFailure } from './check-failure';
import { setTimeout as sleep } from 'node:timers/promises';

/** The public API, as a customer's program reaches it. */
export class Gateway {
  constructor(
    private readonly baseUrl: string,
    private readonly until: number,
  ) {}

  /** The body of a 200; anything else ends the check with what was answered and where to look. */
  async call<T>(method: 'GET' | 'POST', path: string, apiKey?: string, body?: FormData): Promise<T> {
    const response = await this.answer(method, path, apiKey, body);
    const text = await response.text();
    if (response.status !== 200)
      throw new CheckFailure(
        `${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`,
        whereToLook(response.status),
      );
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new CheckFailure(
        `${method} ${path} was answered with something that is not JSON: ${text.slice(0, 100)}`,
        'Another server may answer at this address: look at the ingress or route of the release',
      );
    }
  }

  /** Waits for the first 200: an ingress or a load balancer may be a few seconds behind the pods. */
  async untilHealthy(withinMs: number): Promise<void> {
    const until = Math.min(Date.now() + withinMs, this.until);
    for (;;) {
      try {
        await this.call('GET', '/health');
        return;
      } catch (error) {
        if (Date.now() > until) throw error;
        await sleep(1_000);
      }
    }
  }

  private async answer(method: string, path: string, apiKey?: string, body?: FormData): Promise<Response> {
    try {
      return await fetch(`${this.baseUrl}${path}`, {
        method,
        headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
        signal: AbortSignal.timeout(Math.min(60_000, Math.max(1_000, this.until - Date.now()))),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw new CheckFailure(
        `${method} ${this.baseUrl}${path} got no answer: ${reason(error)}`,
        'Look at the gateway pods, its Service, and the ingress or route where there is one; with https, at the certificate',
      );
    }
  }
}

function whereToLook(status: number): string {
  if (status >= 500)
    return 'Look at the log of the gateway, and of jobs, billing and the object store behind it';
  if (status === 413) return 'Raise the request size that the ingress lets through';
  if (status === 404) return 'Look at the paths of the ingress or route: everything belongs to the gateway';
  return 'Look at the log of the gateway';
}

/** What fetch says is "fetch failed"; the reason is in its cause. */
function reason(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
