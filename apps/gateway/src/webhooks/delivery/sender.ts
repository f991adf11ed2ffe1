import { Outbound, OutboundError } from '@currawong/outbound';
import { DataSource } from '@currawong/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ensureSecret, signingSecrets } from '../secrets';
import { signedHeaders } from '../signature';
import { Claims, type Claimed } from './claims';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from './config';
import { attemptSeconds, deliveriesEnded } from './metrics';
import { judge, shownAnswer, type AttemptResult } from './verdict';

/** More of an answer is not read. */
const ANSWER_BYTES = 4_096;

/** One attempt at one delivery: signed, sent, judged, and kept. */
@Injectable()
export class Sender {
  private readonly log = new Logger(Sender.name);
  private readonly outbound: Outbound;

  constructor(
    private readonly source: DataSource,
    private readonly claims: Claims,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
  ) {
    this.outbound = new Outbound({ allowed: config.OUTBOUND_ALLOWED_ADDRESSES, plainHttp: true });
  }

  /** @param interrupted ends the attempt without counting it */
  async send(claimed: Claimed, interrupted: AbortSignal): Promise<void> {
    const secrets = await this.secretsOf(claimed.account_id);
    const began = performance.now();
    const result = await this.attempt(claimed, secrets, interrupted);
    const durationMs = Math.round(performance.now() - began);
    if (!result.ok && result.error.failure === 'aborted') return this.claims.giveBack(claimed);
    const progress = { scheduled: claimed.scheduled + 1, isLast: claimed.is_last };
    const verdict = judge(result, progress, this.config.WEBHOOK_RETRY_SECONDS, new Date(), Math.random());
    const attempt = result.ok
      ? { durationMs, statusCode: result.answer.status, error: null, answer: shownAnswer(result.answer.body) }
      : { durationMs, statusCode: null, error: result.error.message, answer: '' };
    const kept = await this.claims.settle(claimed, attempt, verdict);
    const outcome = result.ok ? `${Math.floor(result.answer.status / 100)}xx` : result.error.failure;
    attemptSeconds.observe({ outcome }, durationMs / 1_000);
    // The address without its path and query, which may be secrets of the receiver's.
    const which = `delivery ${claimed.id} (${claimed.type}) to ${claimed.origin}, attempt ${claimed.attempts + 1}`;
    if (!kept) return this.log.warn(`${which}: ${outcome}, too late to count`);
    if (verdict.kind !== 'again') deliveriesEnded.inc({ outcome: verdict.kind });
    const next = verdict.kind === 'again' ? `again in ${Math.round(verdict.afterSeconds)} s` : verdict.kind;
    this.log.log(`${which}: ${outcome}, ${next}`);
  }

  private async attempt(
    { id, url, body }: Claimed,
    secrets: readonly string[],
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Currawong-Webhooks/1',
      ...signedHeaders(id, body, secrets, new Date()),
    };
    try {
      const answer = await this.outbound.call(
        { url, method: 'POST', headers, body: Buffer.from(body), signal },
        { seconds: this.config.WEBHOOK_TIMEOUT_SECONDS, maxBytes: ANSWER_BYTES },
      );
      return { ok: true, answer };
    } catch (error) {
      if (error instanceof OutboundError) return { ok: false, error };
      throw error;
    }
  }

  private async secretsOf(accountId: string): Promise<readonly string[]> {
    const known = (await signingSecrets(this.source, [accountId])).get(accountId);
    if (known) return known;
    await ensureSecret(this.source, accountId);
    return (await signingSecrets(this.source, [accountId])).get(accountId) ?? [];
  }
}
