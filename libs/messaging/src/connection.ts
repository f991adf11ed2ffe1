import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import {
  connect,
  createInbox,
  nkeyAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { inboxPrefix } from '@currawong/contracts';
import { createLogger, Startup, type Logger } from '@currawong/telemetry';
import { ensureStreams, type StreamOptions } from './ensure-streams';
import { BrokerRefusal, ServiceUnavailable } from './errors';
import { publicKeyOf } from './nkeys';
import { settlesWithin } from './settles-within';

export interface MessagingOptions {
  /** one or several, separated by commas: `nats://user:password@host:4222` or `nats://token@host:4222` or `tls://…` */
  url: string;
  /** of an NKEY user: `SU…`; instead of what the address says about a user */
  nkeySeed?: string | undefined;
  /** shown in the broker's connection list: the service's name. Answers come to inboxes under it. */
  name: string;
  /** ends the wait for the first connection */
  signal?: AbortSignal;
  /** told what is being waited for; its signal counts as well */
  startup?: Startup;
  logger?: Logger;
  streams?: StreamOptions;
}

export type ConnectionStatus = 'connected' | 'disconnected' | 'closed';

/**
 * Waits until the broker can be reached, then stays connected: a lost connection is restored for ever, so that no
 * service needs a restart because the broker had one.
 * @throws the signal's reason when it is aborted first; BrokerRefusal at once
 */
export async function connectMessaging(options: MessagingOptions): Promise<MessagingConnection> {
  const logger = options.logger ?? createLogger(options.name);
  const startup = options.startup ?? new Startup(logger, options.signal);
  let nats: NatsConnection | undefined;
  await startup.waitFor('the message broker', async () => {
    try {
      nats = await connect(connectOptions(options));
      if (startup.signal.aborted) await nats.close();
      return undefined;
    } catch (error) {
      if (error instanceof TypeError) throw error;
      if (isRefusal(error)) throw new BrokerRefusal(refusalSentence(options), { cause: error });
      return `The message broker cannot be reached at NATS_URL (${(error as Error).message}). Start it, or correct NATS_URL.`;
    }
  });
  return new MessagingConnection(nats!, options.name, logger, options.streams ?? {});
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

  /** @internal A subject of this process alone, under which its broker lets it listen. */
  createInbox(): string {
    return createInbox(inboxPrefix(this.name));
  }

  /** @internal The manager checks the account once and is kept after that. */
  async jetstreamManager(): Promise<JetStreamManager> {
    this.manager ??= await jetstreamManager(this.nats, { timeout: 5_000, checkAPI: false });
    return this.manager;
  }

  /** @internal False where another service makes the streams: then all one can do is wait for it. */
  get makesStreams(): boolean {
    return this.streamOptions.made === undefined || this.streamOptions.made.length > 0;
  }

  /** @internal Puts back whatever streams of ours the broker has lost; callers at the same time share one run. */
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

function connectOptions({ url, nkeySeed, name }: MessagingOptions) {
  const servers = url.split(',').map((one) => new URL(one.trim()));
  const [first] = servers;
  if (first === undefined) throw new TypeError('the address of the message broker is empty');
  return {
    servers: servers.map((server) => server.host),
    name,
    inboxPrefix: inboxPrefix(name),
    ...(nkeySeed === undefined
      ? userOf(first)
      : { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed)) }),
    ...(first.protocol === 'tls:' ? { tls: {} } : {}),
    maxReconnectAttempts: -1,
    // A broker that restarts with another list of users must not end the connection for good: the list may be mended.
    ignoreAuthErrorAbort: true,
    ...pacedAttempts(),
    // Otherwise every request takes two traces of its stack, for an error that hardly any ends with; ours name the subject.
    noAsyncTraces: true,
    // A broker that hangs without closing the socket is noticed after this many milliseconds, twice.
    pingInterval: 10_000,
    maxPingOut: 2,
    timeout: 5_000,
  };
}

/**
 * Attempts to connect, 200 to 400 ms apart by a clock that nobody sets. The client's own pauses count from the time of day
 * of its last attempt: after one that was made before the clock was set back by ten minutes it would rest for these.
 */
function pacedAttempts(): Pick<NodeConnectionOptions, 'reconnectDelayHandler' | 'reconnectToServer'> {
  let nextAtMs = 0;
  return {
    reconnectDelayHandler: () => -Infinity,
    reconnectToServer: ([next]) => {
      const delay = Math.max(0, nextAtMs - performance.now());
      nextAtMs = performance.now() + delay + 200 + 200 * Math.random();
      return next ? { server: next, delay } : null;
    },
  };
}

function userOf({ username, password }: URL) {
  const user = decodeURIComponent(username);
  const pass = decodeURIComponent(password);
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'AuthorizationError';
}

function refusalSentence({ nkeySeed, name }: MessagingOptions): string {
  return nkeySeed === undefined
    ? `The message broker refuses ${name}: the user and password in NATS_URL are not of a user that it knows.`
    : `The message broker refuses ${name}: it has no user with the public key of NATS_NKEY_SEED, ${publicKeyOf(nkeySeed)}. ` +
        'Add the user to its configuration, or set the seed of one that is there.';
}
