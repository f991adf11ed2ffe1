import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createLogger, type Logger } from '@currawong/telemetry';
import { ensureStreams, type StreamOptions } from './ensure-streams';
import { ServiceUnavailable } from './errors';
import { settlesWithin } from './settles-within';

export interface MessagingOptions {
  /** one or several, separated by commas: `nats://user:password@host:4222` or `nats://token@host:4222` or `tls://…` */
  url: string;
  /** shown in the broker's connection list: the service's name */
  name: string;
  /** ends the wait for the first connection */
  signal?: AbortSignal;
  logger?: Logger;
  streams?: StreamOptions;
}

export type ConnectionStatus = 'connected' | 'disconnected' | 'closed';

/**
 * Waits until the broker can be reached, then stays connected: a lost connection is restored for ever, so that no
 * service needs a restart because the broker had one.
 * @throws the signal's reason when it is aborted first; an authorization error at once
 */
export async function connectMessaging(options: MessagingOptions): Promise<MessagingConnection> {
  const logger = options.logger ?? createLogger(options.name);
  for (let attempt = 0; ; attempt++) {
    options.signal?.throwIfAborted();
    try {
      const nats = await connect(connectOptions(options));
      return new MessagingConnection(nats, options.name, logger, options.streams ?? {});
    } catch (error) {
      if (isRefusedForGood(error)) throw error;
      // Once at the start and then every half a minute: enough to see it, not enough to drown the log.
      if (attempt % 60 === 0) logger.warn({ err: error }, 'waiting for the message broker');
      await sleep(500, undefined, options.signal && { signal: options.signal });
    }
  }
}

/** The one connection of a process. Also the injection token under which Nest providers receive it. */
export class MessagingConnection {
  /** @internal */ readonly client: JetStreamClient;
  private state: ConnectionStatus = 'connected';
  private readonly underWay = new Set<() => void>();
  private readonly reconnected = new Set<() => void>();
  private manager: JetStreamManager | undefined;
  private restoring: Promise<void> | undefined;

  constructor(
    /** @internal */ readonly nats: NatsConnection,
    readonly name: string,
    readonly logger: Logger,
    private readonly streamOptions: StreamOptions,
  ) {
    this.client = jetstream(nats, { timeout: 5_000 });
    void this.watch();
    void nats.closed().then(() => this.leave('closed'));
  }

  status(): ConnectionStatus {
    return this.state;
  }

  isReady(): boolean {
    return this.state === 'connected';
  }

  /**
   * Settles as `work` does, but fails at once when the connection is or gets lost: waiting for a deadline that cannot
   * be met any more helps nobody.
   * @throws ServiceUnavailable
   */
  whileConnected<T>(subject: string, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // A list that calls leave again, not one promise to race against: that would keep every call's result for as
      // long as the connection holds.
      const fail = () => reject(new ServiceUnavailable(subject, 'disconnected'));
      if (!this.isReady()) return fail();
      this.underWay.add(fail);
      work()
        .then(resolve, reject)
        .finally(() => this.underWay.delete(fail));
    });
  }

  /** @returns a function that ends the subscription */
  onReconnect(listener: () => void): () => void {
    this.reconnected.add(listener);
    return () => this.reconnected.delete(listener);
  }

  /** @internal The manager checks the account once and is kept after that. */
  async jetstreamManager(): Promise<JetStreamManager> {
    this.manager ??= await jetstreamManager(this.nats, { timeout: 5_000, checkAPI: false });
    return this.manager;
  }

  /** @internal Puts back whatever streams the broker has lost; callers at the same time share one run. */
  restoreStreams(): Promise<void> {
    this.restoring ??= ensureStreams(this, this.streamOptions).finally(() => {
      this.restoring = undefined;
    });
    return this.restoring;
  }

  /** Sends what is buffered, handles what has arrived, then closes. Can be called twice. */
  async close(): Promise<void> {
    if (this.nats.isClosed()) return;
    if (this.state !== 'connected' || this.nats.isDraining()) return this.nats.close();
    // A broker that dies during the drain must not keep this process alive.
    await settlesWithin(this.nats.drain(), 5_000).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the connection to the message broker could not be drained');
    });
    await this.nats.close();
  }

  private async watch(): Promise<void> {
    for await (const change of this.nats.status()) {
      if (change.type === 'disconnect') {
        this.leave('disconnected');
        this.logger.warn('connection to the message broker lost');
      } else if (change.type === 'reconnect') {
        this.state = 'connected';
        this.logger.info('connection to the message broker restored');
        for (const listener of this.reconnected) listener();
      } else if (change.type === 'error') {
        this.logger.warn({ err: change.error }, 'the message broker reports an error');
      }
    }
  }

  private leave(state: 'disconnected' | 'closed'): void {
    this.state = state;
    for (const fail of this.underWay) fail();
    this.underWay.clear();
  }
}

function connectOptions({ url, name }: MessagingOptions) {
  const servers = url.split(',').map((one) => new URL(one.trim()));
  const [first] = servers;
  if (first === undefined) throw new TypeError('the address of the message broker is empty');
  const user = decodeURIComponent(first.username);
  const password = decodeURIComponent(first.password);
  return {
    servers: servers.map((server) => server.host),
    name,
    ...(user !== '' && password !== '' ? { user, pass: password } : {}),
    ...(user !== '' && password === '' ? { token: user } : {}),
    ...(first.protocol === 'tls:' ? { tls: {} } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 200,
    // A broker that hangs without closing the socket is noticed after this many milliseconds, twice.
    pingInterval: 10_000,
    maxPingOut: 2,
    timeout: 5_000,
  };
}

function isRefusedForGood(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AuthorizationError' || error instanceof TypeError);
}
