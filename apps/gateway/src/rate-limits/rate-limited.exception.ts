import { refuse } from '@currawong/contracts';
import { RefusalException } from '../http/refusal.exception';
import { rateLimitHeaders } from './headers';
import type { Budget } from './rate-limiter';

/** A 429 on its way to the client, with what has to be waited. */
export class RateLimited extends RefusalException {
  /** @param what such as `10 requests a minute`: what is allowed */
  constructor(budget: Budget, code: 'rate_limited' | 'too_many_failures', what: string) {
    const { resetSeconds } = budget;
    const wait = `Wait ${resetSeconds} ${resetSeconds === 1 ? 'second' : 'seconds'}, then try again.`;
    const { refusal } = refuse(code, `The rate limit is exceeded: at most ${what}. ${wait}`);
    super(refusal, undefined, { ...rateLimitHeaders(budget), 'Retry-After': String(resetSeconds) });
  }
}
