import type { ServerResponse } from 'node:http';
import type { Budget } from './rate-limiter';

/** In the form most clients read (draft-ietf-httpapi-ratelimit-headers-07): a number each, the reset in seconds from now. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: Budget): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}

export function showBudget(response: ServerResponse, budget: Budget): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(budget))) response.setHeader(name, value);
}
