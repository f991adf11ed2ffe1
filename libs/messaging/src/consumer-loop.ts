import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { Logger } from '@currawong/telemetry';
import { runWithTraceHeaders, sampledTraceId, withLogContext } from '@currawong/telemetry';
import type { MessagingConnection } from './connection';
import type { ConsumesRegistration } from './decorators';
import { Loan, type Delivery } from './delivery';
import { ensureConsumer, type ConsumerDefinition } from './ensure-consumer';
import { logContextOf } from './log-context';
import { handlerSeconds, pullsRecovered, showConsumer, slotsBusy } from './metrics';
import { backoffMs, reject, retry, type Outcome } from './outcome';
import { decodePayload } from './payload';
import { settlesWithin } from './settles-within';
import { Slot, type SlotOwner } from './slot';

interface Handled {
  outcome: Outcome;
  /** as the metric says it */
  label: string;
  /** of the handler's trace where it is sampled */
  traceId?: string | undefined;
}

export type ConsumeHandler = (payload: unknown, delivery: Delivery) => Promise<Outcome>;

/** Everything about one durable consumer in this process: its slots, and finding back after trouble. */
export class ConsumerLoop implements SlotOwner {
  readonly durable: string;
  readonly pullSubject: string;
  /** when the broker last answered a request for messages; undefined before the first time */
  lastPullCompletedAt: Date | undefined;

  private readonly definition: ConsumerDefinition;
  private readonly slots: Slot[];
  private readonly loans = new Set<Loan>();
  private readonly abort = new AbortController();
  private readonly forgetReconnect: () => void;
  private readonly logger: Logger;
  private lastHeardAtMs = -Infinity;
  private open = false;
  private recovering: Promise<void> | undefined;
  /** recoveries since the broker last said something useful */
  private recoveries = 0;
  private complainedAtMs = -Infinity;

  constructor(
    private readonly connection: MessagingConnection,
    { durable, contracts, ackWaitSeconds }: ConsumesRegistration,
    slotCount: number,
    private readonly handler: ConsumeHandler,
  ) {
    const [first, ...others] = contracts;
    if (first === undefined) throw new TypeError(`${durable}: a consumer needs a contract`);
    if (others.some(({ stream }) => stream !== first.stream))
      throw new TypeError(`${durable}: all contracts of a consumer must be of one stream`);
    if (!Number.isInteger(slotCount) || slotCount < 1)
      throw new RangeError(`${durable}: slots must be 1 or more`);
    this.durable = durable;
    this.definition = { stream: first.stream, durable, contracts, ackWaitSeconds };
    this.pullSubject = `$JS.API.CONSUMER.MSG.NEXT.${first.stream}.${durable}`;
    this.logger = connection.logger.child({ handler: durable });
    showConsumer(durable, slotCount);
    this.slots = Array.from({ length: slotCount }, () => new Slot(connection, this));
    this.forgetReconnect = connection.onReconnect(() => this.lost('reconnected'));
  }

  /** Resolves when stream and consumer are there and all slots ask for messages; tries until then. */
  async start(): Promise<void> {
    this.open = true;
    this.recovering ??= this.recover();
    await this.recovering;
  }

  /** Is work being taken? True as well while every slot is busy: then nothing is asked for. */
  isAlive(): boolean {
    if (!this.open || !this.connection.isReady()) return false;
    return (
      this.slots.every((slot) => slot.isBusy) || performance.now() - this.lastHeardAtMs < HEARD_LATELY_MS
    );
  }

  /**
   * Stops asking, lets handlers finish within the grace, then aborts them and hands their messages back undelayed.
   * @returns how many messages were handed back
   */
  async drain(graceMs: number): Promise<number> {
    this.open = false;
    this.forgetReconnect();
    const finished = Promise.all(this.slots.map((slot) => slot.stop()));
    if (await settlesWithin(finished, graceMs)) return 0;
    this.abort.abort(new Error('the service is shutting down'));
    await settlesWithin(finished, UNWINDING_MS);
    const left = [...this.loans].filter((loan) => loan.settle(retry(0, 'the service is shutting down')));
    return left.length;
  }

  mayPull(): boolean {
    return this.open && this.recovering === undefined && this.connection.isReady();
  }

  heard(completed: boolean): void {
    this.lastHeardAtMs = performance.now();
    this.recoveries = 0;
    if (completed) this.lastPullCompletedAt = new Date();
  }

  lost(reason: string): void {
    // Without a connection there is nothing to do: its return calls here again.
    if (!this.open || this.recovering !== undefined || !this.connection.isReady()) return;
    this.logger.warn({ reason }, 'asking for messages anew');
    pullsRecovered.inc({ handler: this.durable });
    this.recovering = this.recover();
  }

  private async recover(): Promise<void> {
    for (;;) {
      if (this.recoveries > 0) await sleep(Math.min(2_000, 50 * 2 ** Math.min(this.recoveries, 6)));
      this.recoveries++;
      if (!this.open) return;
      try {
        await this.connection.whileConnected(this.durable, () =>
          ensureConsumer(this.connection, this.definition),
        );
        break;
      } catch (error) {
        // While the broker is away the connection says so, once; its return ends this.
        if (!this.connection.isReady() || performance.now() - this.complainedAtMs < COMPLAIN_EVERY_MS)
          continue;
        this.complainedAtMs = performance.now();
        this.logger.warn({ err: error }, 'the consumer cannot be prepared yet');
      }
    }
    this.recovering = undefined;
    // The first heartbeat comes after two seconds; until then that the consumer could be made must do. Only at the
    // start: otherwise a consumer that is made again and again without a single message would look healthy.
    if (this.lastHeardAtMs === -Infinity) this.lastHeardAtMs = performance.now();
    for (const slot of this.slots) slot.renew();
  }

  async handle(message: Msg): Promise<void> {
    const loan = this.borrow(message);
    if (loan === undefined) return;
    this.loans.add(loan);
    slotsBusy.inc({ handler: this.durable });
    const heartbeat = setInterval(() => loan.extend(), (this.definition.ackWaitSeconds * 1_000) / 3);
    const stop = handlerSeconds.startTimer({ handler: this.durable });
    try {
      const { outcome, label, traceId } = await this.outcomeOf(loan);
      loan.settle(outcome);
      stop({ outcome: label }, traceId);
    } finally {
      clearInterval(heartbeat);
      slotsBusy.dec({ handler: this.durable });
      this.loans.delete(loan);
    }
  }

  private borrow(message: Msg): Loan | undefined {
    try {
      return new Loan(message, this.abort.signal);
    } catch (error) {
      this.logger.error({ err: error }, 'something that is no delivery reached the inbox of a consumer');
      return undefined;
    }
  }

  private async outcomeOf(loan: Loan): Promise<Handled> {
    const { delivery } = loan;
    const about = { subject: delivery.subject, message_id: delivery.messageId };
    const contract = contractFor(this.definition.contracts, delivery.subject);
    const decoded = contract && decodePayload(contract.payload, loan.bytes);
    if (!decoded?.ok) {
      this.logger.error(
        { ...about, issues: decoded?.issues },
        'a message breaks its contract and is dropped',
      );
      return { outcome: reject('not what the contract allows'), label: 'invalid' };
    }
    let traceId: string | undefined;
    return withLogContext(logContextOf(decoded.value), async () => {
      try {
        const outcome = await runWithTraceHeaders(
          delivery.headers,
          `handle ${this.durable}`,
          { 'messaging.system': 'nats', 'messaging.destination.name': delivery.subject },
          () => {
            traceId = sampledTraceId();
            return this.handler(decoded.value, delivery);
          },
          SpanKind.CONSUMER,
        );
        return { outcome: this.report(outcome, delivery), label: outcome.kind, traceId };
      } catch (error) {
        if (delivery.signal.aborted)
          return { outcome: retry(0, 'interrupted by the shutdown'), label: 'retry', traceId };
        this.logger.error({ ...about, redeliveries: delivery.redeliveries, err: error }, 'a handler threw');
        const outcome = retry(backoffMs(delivery.redeliveries), 'the handler threw');
        return { outcome, label: 'threw', traceId };
      }
    });
  }

  /** A shutdown gives the message back undelayed, whatever wait the handler had in mind: interruption is no failure. */
  private report(outcome: Outcome, { subject, signal, messageId }: Delivery): Outcome {
    if (outcome.kind === 'done') return outcome;
    const about = { subject, message_id: messageId, reason: outcome.reason };
    if (outcome.kind === 'reject') this.logger.warn(about, 'a message is rejected');
    else this.logger.info({ ...about, after_ms: outcome.afterMs }, 'a message will be tried again');
    return outcome.kind === 'retry' && signal.aborted ? retry(0, outcome.reason) : outcome;
  }
}

/** A consumer that has heard nothing for this long while a slot was free does not work. Heartbeats come every 2 s. */
const HEARD_LATELY_MS = 15_000;
/** Enough to see it, not enough to drown the log. */
const COMPLAIN_EVERY_MS = 10_000;
/** What an aborted handler gets to end its child processes before its message is handed back over its head. */
const UNWINDING_MS = 2_000;

function contractFor(contracts: ConsumerDefinition['contracts'], subject: string) {
  return contracts
    .filter((contract) => subject === contract.subject || subject.startsWith(`${contract.subject}.`))
    .sort((one, other) => other.subject.length - one.subject.length)[0];
}
