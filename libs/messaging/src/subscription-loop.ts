import type { Msg, Subscription } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { Logger } from '@currawong/telemetry';
import { runWithTraceHeaders, sampledTraceId, withLogContext } from '@currawong/telemetry';
import { breakdownHeaders, resultSchemaOf } from './answer-envelope';
import type { MessagingConnection } from './connection';
import type { AnswersRegistration, HearsRegistration } from './decorators';
import { fromHeaders } from './headers';
import { logContextOf } from './log-context';
import { handlerSeconds, showSubscription } from './metrics';
import { decodePayload, encodePayload } from './payload';
import { settlesWithin } from './settles-within';

/** How long the broker has to confirm the end of a subscription. */
const CONFIRM_WITHIN_MS = 5_000;

/** Requests and notices: plain subscriptions whose running handlers are waited for at the end. */
export class SubscriptionLoop {
  private readonly running = new Set<Promise<void>>();
  private readonly logger: Logger;
  private subscription: Subscription | undefined;

  constructor(
    private readonly connection: MessagingConnection,
    private readonly registration: AnswersRegistration | HearsRegistration,
    private readonly handler: (payload: unknown) => Promise<unknown>,
  ) {
    this.logger = connection.logger.child({ handler: registration.contract.subject });
    showSubscription(registration.contract.subject, registration.kind);
  }

  start(): void {
    const { kind, contract } = this.registration;
    const queue = kind === 'answers' ? 'answers' : this.registration.queue;
    this.subscription = this.connection.nats.subscribe(contract.subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        if (error) return this.logger.error({ err: error }, 'the subscription ended');
        const work = this.handle(message).finally(() => this.running.delete(work));
        this.running.add(work);
      },
    });
  }

  /** Takes nothing new and waits for what has arrived, no longer than the grace in all. */
  async drain(graceMs: number): Promise<void> {
    const endsAtMs = performance.now() + graceMs;
    await this.end(Math.min(graceMs, CONFIRM_WITHIN_MS));
    await settlesWithin(Promise.all(this.running), Math.max(0, endsAtMs - performance.now()));
  }

  /** What the broker has sent arrives before it confirms the end. One that is away never does, one that hangs neither. */
  private async end(withinMs: number): Promise<void> {
    if (!this.subscription) return;
    if (!this.connection.isReady()) return this.subscription.unsubscribe();
    const confirmed = this.subscription.drain().catch(() => undefined);
    if (!(await settlesWithin(confirmed, withinMs))) this.subscription.unsubscribe();
  }

  private async handle(message: Msg): Promise<void> {
    const { kind, contract } = this.registration;
    const stop = handlerSeconds.startTimer({ handler: contract.subject });
    const decoded = decodePayload(contract.payload, message.data);
    if (!decoded.ok) {
      this.logger.error({ issues: decoded.issues }, 'a message breaks its contract and is dropped');
      this.answerBreakdown(message);
      stop({ outcome: 'invalid' });
      return;
    }
    let traceId: string | undefined;
    await withLogContext(logContextOf(decoded.value), async () => {
      try {
        const result = await runWithTraceHeaders(
          fromHeaders(message.headers),
          `${kind === 'answers' ? 'answer' : 'hear'} ${contract.subject}`,
          { 'messaging.system': 'nats', 'messaging.destination.name': contract.subject },
          () => {
            traceId = sampledTraceId();
            return this.handler(decoded.value);
          },
          kind === 'answers' ? SpanKind.SERVER : SpanKind.CONSUMER,
        );
        stop({ outcome: this.answer(message, result) }, traceId);
      } catch (error) {
        this.logger.error({ err: error }, 'a handler threw');
        this.answerBreakdown(message);
        stop({ outcome: 'threw' }, traceId);
      }
    });
  }

  private answer(message: Msg, result: unknown): string {
    if (this.registration.kind === 'hears') return 'heard';
    const { contract } = this.registration;
    message.respond(encodePayload(resultSchemaOf(contract), contract.subject, result));
    return (result as { ok: boolean }).ok ? 'accepted' : 'refused';
  }

  private answerBreakdown(message: Msg): void {
    if (this.registration.kind === 'hears') return;
    try {
      message.respond('', { headers: breakdownHeaders() });
    } catch {
      // The connection is closed: the caller learns it from its deadline.
    }
  }
}
