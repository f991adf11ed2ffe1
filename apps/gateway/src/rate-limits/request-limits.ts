import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { addressBlock, clientAddress } from '../http/client-address';
import { Identities, type Identity } from '../http/identity';
import { Overload } from '../overload/overload';
import { rateLimitHeaders, showBudget } from './headers';
import { RateLimited } from './rate-limited.exception';
import { RateLimiter, type Budget } from './rate-limiter';
import { isCounted, isTranscribe } from './request-kind';

const WINDOW_SECONDS = 60;
const FAILURES = 'failed authentications';

/** The contract's rate limits, before any route is looked for: what does not exist counts as well. */
@Injectable()
export class RequestLimits {
  /** Requests whose failed authentication has been counted. */
  private readonly failed = new WeakSet<IncomingMessage>();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly identities: Identities,
    private readonly limiter: RateLimiter,
    private readonly overload: Overload,
  ) {}

  /** Express middleware. Whoever is over the limit gets no further, and nothing of the body has been read by then. */
  readonly middleware = (request: Request, response: ServerResponse, next: (e?: unknown) => void) => {
    this.admit(request, response).then(() => next(), next);
  };

  /** For answers to what is not even a request, and the least that every other answer shows. */
  headersFor(address: string): Record<string, string> {
    return rateLimitHeaders(this.failuresOf(address));
  }

  /**
   * Counts a failed authentication against the client's address; once a request, however often it is called.
   * @throws RateLimited where there have been too many
   */
  async countFailure(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.failed.has(request)) return;
    this.failed.add(request);
    const limit = this.config.RATE_LIMIT_FAILURES_PER_MINUTE;
    const subject = addressBlock(clientAddress(request));
    const counted = await this.limiter.consume(FAILURES, subject, limit, WINDOW_SECONDS);
    if (!counted.allowed)
      throw new RateLimited(counted, 'too_many_failures', `${limit} failed authentications a minute`);
    showBudget(response, counted);
  }

  private async admit(request: Request, response: ServerResponse): Promise<void> {
    showBudget(response, this.failuresOf(clientAddress(request)));
    // Before anybody is looked up: that costs what an overloaded gateway has not got.
    if (isTranscribe(request)) await this.overload.admit(response);
    const identity: Identity = isCounted(request) ? await this.identities.of(request) : { kind: 'nobody' };
    if (identity.kind === 'nobody') {
      // Whatever the route: an answer must not tell a wrong key from a right one more often than this allows.
      if (identity.sentKey) return this.countFailure(request, response);
    } else {
      await this.countRequest(request, response, identity);
      const { accountId } = identity.kind === 'key' ? identity.key : identity.session;
      if (isTranscribe(request)) this.overload.requireShare(response, accountId);
    }
    // Node's own would have been sent before anybody had looked at the request.
    if (request.headers.expect && request.httpVersion === '1.1') response.writeContinue();
  }

  private async countRequest(
    request: Request,
    response: ServerResponse,
    identity: Exclude<Identity, { kind: 'nobody' }>,
  ): Promise<void> {
    const transcribe = isTranscribe(request);
    const [who, subject, others] =
      identity.kind === 'key'
        ? ['key', identity.key.keyId, this.config.RATE_LIMIT_REQUESTS_PER_MINUTE]
        : // By account: signing in once more must not give another allowance.
          ['session', identity.session.accountId, this.config.RATE_LIMIT_SESSION_REQUESTS_PER_MINUTE];
    const limit = transcribe ? this.config.RATE_LIMIT_TRANSCRIBE_PER_MINUTE : others;
    const scope = `${transcribe ? 'transcribe' : 'requests'} by ${who}`;
    const counted = await this.limiter.consume(scope, subject, limit, WINDOW_SECONDS);
    const what = transcribe ? 'POST /transcribe requests' : 'requests';
    if (!counted.allowed) throw new RateLimited(counted, 'rate_limited', `${limit} ${what} a minute`);
    showBudget(response, counted);
  }

  private failuresOf(address: string): Budget {
    const limit = this.config.RATE_LIMIT_FAILURES_PER_MINUTE;
    return this.limiter.peek(FAILURES, addressBlock(address), limit, WINDOW_SECONDS);
  }
}
