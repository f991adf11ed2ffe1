import { AsyncLocalStorage } from 'node:async_hooks';
import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientOptions } from 'minio';
import type { EncryptionSettings } from './encryption';
import { asStoreError, StoreUnavailable } from './errors';
import type { SigningKeys } from './presign';
import { RoleCredentials, type RoleSettings } from './role-credentials';

/** Where the bucket is and how to speak to it. */
export interface ObjectStoreSettings {
  /** Origin of the store, such as `http://127.0.0.1:8333` or `https://s3.ap-southeast-2.amazonaws.com`. */
  endpoint: string;
  /** Origin under which clients reach it, where that is another: an address is signed for its host. */
  publicEndpoint?: string | undefined;
  bucket: string;
  accessKey?: string | undefined;
  secretKey?: string | undefined;
  /** Whose keys are asked for where none are given. */
  role?: RoleSettings;
  /** The region the bucket is in; requests are signed for it. */
  region: string;
  /** Regions this installation may keep data in. Any other configured region is refused when the store is created. */
  requiredRegions?: readonly string[];
  /** Bucket in the path (default) instead of the host name. */
  pathStyle?: boolean;
  encryption?: EncryptionSettings;
}

export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The whole call, all attempts of it. */
  timeoutMs: number;
  /** How often the call is tried in all; above 1 for reads alone, because they can be repeated without harm. */
  attempts?: number;
  /** No byte moving in either direction for this long ends the call; `defaultIdleTimeoutMs` unless given. */
  idleTimeoutMs?: number | undefined;
  /** For the message of an error. */
  key?: string;
}

interface RequestContext {
  signal: AbortSignal;
  idleTimeoutMs: number;
  observeResponse?: (response: http.IncomingMessage) => void;
}

/** No byte moved in either direction for this long: the store hangs. */
export const defaultIdleTimeoutMs = 30_000;
/** A free connection older than this is closed by us, before the store's own idle limit makes it a trap. */
const freeSocketTimeoutMs = 4_000;
const maxSockets = 256;

/**
 * One minio client whose every request can be ended. minio takes neither a signal nor a time limit, so both travel in
 * an AsyncLocalStorage to the transport, which minio lets us supply.
 */
export class Connection {
  readonly client: Client;
  readonly bucket: string;
  readonly agent: http.Agent;
  readonly secure: boolean;
  private readonly role: RoleCredentials | undefined;
  private readonly context = new AsyncLocalStorage<RequestContext>();

  constructor(readonly settings: ObjectStoreSettings) {
    const url = new URL(settings.endpoint);
    this.secure = url.protocol === 'https:';
    const agentOptions = { keepAlive: true, maxSockets, maxFreeSockets: 32, timeout: freeSocketTimeoutMs };
    this.agent = this.secure ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
    this.bucket = settings.bucket;
    this.role = settings.role && new RoleCredentials(settings.role, settings.region);
    this.client = this.clientForRegion(settings.region);
  }

  /** A client that signs for `region`, or one that asks the store for the bucket's region first. */
  clientForRegion(region?: string): Client {
    const url = new URL(this.settings.endpoint);
    return new Client({
      endPoint: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port ? Number(url.port) : this.secure ? 443 : 80,
      useSSL: this.secure,
      ...this.keys(),
      pathStyle: this.settings.pathStyle ?? true,
      ...(region ? { region } : {}),
      transport: { request: this.request as typeof http.request },
      transportAgent: this.agent,
      // Its own retries also repeat writes, and print to the console.
      retryOptions: { disableRetry: true },
    });
  }

  /** What an address is signed with. @throws StoreUnavailable where a role's keys cannot be had */
  async signingKeys(): Promise<SigningKeys> {
    if (!this.role)
      return { accessKey: this.settings.accessKey ?? '', secretKey: this.settings.secretKey ?? '' };
    const keys = await this.role.getCredentials();
    return {
      accessKey: keys.getAccessKey(),
      secretKey: keys.getSecretKey(),
      sessionToken: keys.getSessionToken(),
    };
  }

  private keys(): Pick<ClientOptions, 'accessKey' | 'secretKey' | 'credentialsProvider'> {
    // minio asks for no more than this one method, but its type wants the whole class.
    if (this.role) return { credentialsProvider: this.role as never };
    return { accessKey: this.settings.accessKey ?? '', secretKey: this.settings.secretKey ?? '' };
  }

  /**
   * Runs `operation`, which may issue any number of minio requests one after the other.
   * Settles at the latest when the signal fires or the time is up, and destroys the request that was under way.
   * @throws the signal's reason, or one of the classes in errors.ts
   */
  async call<T>(
    options: CallOptions,
    operation: (signal: AbortSignal) => Promise<T>,
    observe?: RequestContext['observeResponse'],
  ) {
    const { signal, timeoutMs, attempts = 1, key = '', idleTimeoutMs = defaultIdleTimeoutMs } = options;
    signal?.throwIfAborted();
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ended.abort(new StoreUnavailable(`no answer within ${Math.round(timeoutMs / 1000)} s`));
    }, timeoutMs);
    const onAbort = () => ended.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const context = { signal: ended.signal, idleTimeoutMs, ...(observe ? { observeResponse: observe } : {}) };
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.context.run(context, () =>
            unlessEnded(() => operation(ended.signal), ended.signal),
          );
        } catch (error) {
          if (ended.signal.aborted) throw ended.signal.reason;
          const known = asStoreError(error, key);
          const stale = attempt === 1 && isStaleConnection(error);
          const again = attempt < attempts && known instanceof StoreUnavailable && known.transient;
          if (!again && !stale) throw known;
          if (!stale)
            await sleep(100 * 3 ** (attempt - 1) * (0.5 + Math.random()), undefined, {
              signal: ended.signal,
            });
        }
      }
    } catch (error) {
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** `http.request` with this connection's agent, for requests that minio only signs. */
  rawRequest(url: string, options: http.RequestOptions): http.ClientRequest {
    return (this.secure ? https : http).request(url, { ...options, agent: this.agent });
  }

  close(): void {
    this.agent.destroy();
  }

  private readonly request = (
    options: http.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest => {
    const context = this.context.getStore();
    const signal = context ? { signal: context.signal } : {};
    const idleTimeoutMs = context?.idleTimeoutMs ?? defaultIdleTimeoutMs;
    const request = (this.secure ? https : http).request({ ...options, ...signal, timeout: idleTimeoutMs });
    let reading: http.IncomingMessage | undefined;
    request.on('response', (response) => {
      reading = response;
      context?.observeResponse?.(response);
      // minio does not read the body of an answer it means to retry; unread, it would keep the connection for ever.
      if ((response.statusCode ?? 0) >= 500 || response.statusCode === 429) response.resume();
      onResponse(response);
    });
    request.on('timeout', () => {
      // Bytes that wait to be read mean that the reader is slow, not the store.
      if (reading && reading.readableLength > 0) request.setTimeout(idleTimeoutMs);
      else request.destroy(new StoreUnavailable('it stopped answering'));
    });
    request.on('error', (error: StaleConnection) => {
      error.staleConnection = request.reusedSocket && reading === undefined;
    });
    return request;
  };
}

type StaleConnection = NodeJS.ErrnoException & { staleConnection?: boolean };

/** The store closed a kept connection just as we wrote to it: it has not seen the request, so once more is safe. */
function isStaleConnection(error: unknown): boolean {
  const { staleConnection, code } = error as StaleConnection;
  return staleConnection === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Settles as `operation` does, or rejects when `signal` fires, although minio may then wait for ever. */
function unlessEnded<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    operation()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
