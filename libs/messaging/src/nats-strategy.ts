import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { MessagingConnection } from './connection';
import { ConsumerLoop, type ConsumeHandler } from './consumer-loop';
import { NATS_TRANSPORT, type Registration } from './decorators';
import { settlesWithin } from './settles-within';
import { SubscriptionLoop } from './subscription-loop';

/** A broker that hangs must not keep a process that ends. */
const FLUSH_WITHIN_MS = 2_000;

export interface NatsStrategyOptions {
  connection: MessagingConnection;
  /** given to `slots` functions of @Consumes: the service's configuration */
  settings?: unknown;
  /** how long handlers may go on when the service shuts down; then they are aborted and their messages handed back */
  drainGraceSeconds?: number;
}

/**
 * Nest's transport for what @Answers, @Consumes and @Hears declare:
 * `app.connectMicroservice({ strategy: new NatsStrategy({ connection }) })`. The connection stays the caller's.
 */
export class NatsStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = NATS_TRANSPORT;
  private readonly consumers: ConsumerLoop[] = [];
  private readonly subscriptions: SubscriptionLoop[] = [];
  private readonly names = new Set<string>();
  private listening = false;
  private draining: Promise<void> | undefined;

  constructor(private readonly options: NatsStrategyOptions) {
    super();
  }

  override addHandler(
    pattern: string,
    callback: MessageHandler,
    isEvent = false,
    extras: Record<string, unknown> = {},
  ) {
    const registration = extras['registration'] as Registration | undefined;
    if (registration === undefined)
      throw new TypeError(`${pattern}: declare handlers with @Answers, @Consumes or @Hears`);
    super.addHandler(pattern, callback, isEvent, extras);
    this.register(registration, async (payload, context) => {
      const result: unknown = await callback(payload, context);
      return isObservable(result) ? lastValueFrom(result) : result;
    });
  }

  /** Streams are created or updated first; resolves to `callback` when every consumer asks for messages. */
  listen(callback: (error?: unknown) => void): void {
    for (const subscription of this.subscriptions) subscription.start();
    Promise.all([
      this.options.connection.nats.flush(),
      ...this.consumers.map((consumer) => consumer.start()),
    ]).then(() => {
      this.listening = true;
      callback();
    }, callback);
  }

  /**
   * Stop pulling → let handlers finish within the grace → abort them → hand back what is left.
   * @param graceMs what is left of the grace where something else has used up a part; only the first call counts
   */
  close(graceMs = (this.options.drainGraceSeconds ?? 25) * 1_000): Promise<void> {
    this.draining ??= this.drain(graceMs);
    return this.draining;
  }

  /** Does this process take messages now? Being connected is not enough: a pull must have been answered lately. */
  readiness(): { ok: true } | { ok: false; detail: string } {
    if (this.draining) return { ok: false, detail: 'shutting down' };
    if (!this.options.connection.isReady())
      return { ok: false, detail: 'not connected to the message broker' };
    if (!this.listening) return { ok: false, detail: 'starting' };
    const silent = this.consumers.filter((consumer) => !consumer.isAlive()).map(({ durable }) => durable);
    return silent.length === 0
      ? { ok: true }
      : { ok: false, detail: `no messages can be taken: ${silent.join(', ')}` };
  }

  /** By durable; undefined for a consumer whose first pull is not answered yet. */
  lastPullCompletedAt(): Record<string, Date | undefined> {
    return Object.fromEntries(
      this.consumers.map((consumer) => [consumer.durable, consumer.lastPullCompletedAt]),
    );
  }

  on(event: string): never {
    throw new Error(`there are no events on this transport: ${event}`);
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }

  private register(
    registration: Registration,
    run: (payload: unknown, context?: unknown) => Promise<unknown>,
  ): void {
    const { connection, settings } = this.options;
    if (registration.kind !== 'hears') this.claim(registration);
    if (registration.kind === 'consumes') {
      const { slots } = registration;
      const count = typeof slots === 'function' ? slots(settings) : slots;
      this.consumers.push(new ConsumerLoop(connection, registration, count, run as ConsumeHandler));
    } else {
      this.subscriptions.push(new SubscriptionLoop(connection, registration, run));
    }
  }

  /** Two handlers for one request or one durable would each get half of the messages. */
  private claim(registration: Exclude<Registration, { kind: 'hears' }>): void {
    const name = registration.kind === 'consumes' ? registration.durable : registration.contract.subject;
    if (this.names.has(name)) throw new TypeError(`${name}: there is a second handler for it`);
    this.names.add(name);
  }

  private async drain(graceMs: number): Promise<void> {
    const [handedBack] = await Promise.all([
      Promise.all(this.consumers.map((consumer) => consumer.drain(graceMs))),
      Promise.all(this.subscriptions.map((subscription) => subscription.drain(graceMs))),
    ]);
    const total = handedBack.reduce((sum, count) => sum + count, 0);
    if (total > 0)
      this.options.connection.logger.info({ messages: total }, 'handed unfinished messages back');
    // Acknowledgements are only buffered until now; a process that exits next would take them along.
    const { connection } = this.options;
    if (connection.isReady())
      await settlesWithin(connection.nats.flush(), FLUSH_WITHIN_MS).catch(() => false);
  }
}
