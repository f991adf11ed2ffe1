import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch, FormData } from 'undici';
import { BrokenCircuitError, bulkhead, circuitBreaker, ConsecutiveBreaker, handleWhen } from 'cockatiel';
import { bytesOf, SAMPLES_PER_SECOND } from '../audio/pcm';
import { EngineMisconfigured } from './http-recognizer-answer';
import { EngineCrashed, EngineUnavailable } from './recognizer';

export interface SpeechServerOptions {
  /** Where the server is, for example `http://localhost:8000`. */
  readonly url: string;
  /** Where it transcribes; default `/v1/audio/transcriptions`. */
  readonly path?: string;
  readonly apiKey?: string | undefined;
  /** Requests that it gets at a time, over all jobs of this process; default 4. */
  readonly concurrency?: number;
  /** An utterance may take this long in any case, tries and pauses included; default 60. */
  readonly patienceSeconds?: number;
  /** And this many seconds more per second of its audio; default 10. */
  readonly patienceFactor?: number;
  /** The first pause before another try is at most so long, each further one at most twice as long; default 500. */
  readonly pauseMs?: number;
  /** For how long a server that keeps failing is left alone; default 15. */
  readonly openSeconds?: number;
}

const TRIES = 4;
/** Failures in a row after which the server is left alone. */
const FAILURES_TO_OPEN = 5;
const LONGEST_PAUSE_MS = 8_000;
/** Nothing was sent in these cases: the server is away, whatever the recording. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** One try failed in a way that another may not. */
class TryAgain extends Error {
  constructor(
    message: string,
    /** overloaded: it answers, but not now. away: it was not reached. lost: it ended the connection while it worked. */
    readonly why: 'overloaded' | 'away' | 'lost',
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** A server that transcribes: few requests at a time, patience with short failures, none with long ones. */
export class SpeechServer {
  private readonly agent: Agent;
  private readonly slots;
  private readonly breaker;
  private readonly underWay = new Set<AbortController>();

  constructor(private readonly options: SpeechServerOptions) {
    const { concurrency = 4, openSeconds = 15 } = options;
    // An answer comes when all is heard, so that its first byte may take minutes; there is a deadline over everything.
    this.agent = new Agent({
      connections: concurrency + 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
    this.slots = bulkhead(concurrency, Number.MAX_SAFE_INTEGER);
    this.breaker = circuitBreaker(
      handleWhen(
        (error) =>
          (error instanceof TryAgain && error.why !== 'overloaded') ||
          error instanceof EngineCrashed ||
          error instanceof EngineMisconfigured,
      ),
      { halfOpenAfter: openSeconds * 1000, breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN) },
    );
  }

  /** What it says at an address, for finding out what it is. @throws EngineUnavailable when it cannot be reached. */
  async get(path: string, signal: AbortSignal): Promise<{ status: number; server: string; body: unknown }> {
    try {
      const answer = await fetch(this.address(path), {
        headers: this.headers,
        dispatcher: this.agent,
        signal,
      });
      const body: unknown = await answer.json().catch(() => null);
      return { status: answer.status, server: answer.headers.get('server') ?? '', body };
    } catch (error) {
      signal.throwIfAborted();
      throw new EngineUnavailable(`The speech server cannot be reached: ${this.told(reasonOf(error))}`);
    }
  }

  /**
   * @param pcm one utterance, 16 kHz mono.
   * @param fields the other fields of the form
   * @param read makes of the answer's JSON what is wanted; what it throws is thrown and not tried again
   * @throws EngineUnavailable when the server is away, overloaded for long or not set up properly, EngineCrashed when it
   *   died or hung on this utterance, an Error with its own words when it refuses it, or the signal's reason.
   */
  async transcribe<T>(
    pcm: Int16Array,
    fields: readonly (readonly [string, string])[],
    read: (body: unknown) => T,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.underWay.add(stop);
    const work = this.slots.execute(() => this.persistently(pcm, fields, read, stop.signal), stop.signal);
    try {
      // One that still waits for a slot is not to wait longer.
      return await Promise.race([work, rejection(stop.signal)]);
    } catch (error) {
      work.catch(() => undefined);
      if (stop.signal.aborted) throw stop.signal.reason;
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.underWay.delete(stop);
    }
  }

  async close(): Promise<void> {
    for (const stop of this.underWay) stop.abort(new EngineCrashed('The engine was closed'));
    await this.agent.destroy();
  }

  private async persistently<T>(
    pcm: Int16Array,
    fields: readonly (readonly [string, string])[],
    read: (body: unknown) => T,
    stop: AbortSignal,
  ): Promise<T> {
    stop.throwIfAborted();
    const { patienceSeconds = 60, patienceFactor = 10, pauseMs = 500 } = this.options;
    const patienceMs = (patienceSeconds + (patienceFactor * pcm.length) / SAMPLES_PER_SECOND) * 1000;
    const overdueAt = performance.now() + patienceMs;
    let wasLost = false;
    for (let tries = 1; ; tries++) {
      try {
        return await this.breaker.execute(() => this.once(pcm, fields, read, stop, overdueAt));
      } catch (error) {
        if (error instanceof BrokenCircuitError)
          throw new EngineUnavailable(
            'The speech server keeps failing and is left alone for a while; the work waits',
          );
        if (!(error instanceof TryAgain)) throw error;
        wasLost ||= error.why === 'lost';
        const longest = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** (tries - 1));
        // Full jitter, so that those who failed together do not come back together.
        const wait = Math.max(error.retryAfterMs ?? 0, Math.random() * longest);
        if (tries >= TRIES || performance.now() + wait > overdueAt)
          // A recording that kills the server each time must not be given back for ever.
          throw wasLost ? new EngineCrashed(error.message) : new EngineUnavailable(error.message);
        await sleep(wait, undefined, { signal: stop });
      }
    }
  }

  private async once<T>(
    pcm: Int16Array,
    fields: readonly (readonly [string, string])[],
    read: (body: unknown) => T,
    stop: AbortSignal,
    overdueAt: number,
  ): Promise<T> {
    const form = new FormData();
    form.append('file', new Blob([wavHeader(pcm.length), new Uint8Array(bytesOf(pcm))]), 'speech.wav');
    for (const [name, value] of fields) form.append(name, value);
    const limit = new AbortController();
    const onAbort = () => limit.abort(stop.reason);
    stop.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(onAbort, overdueAt - performance.now());
    let status: number;
    let text: string;
    let retryAfterMs: number | undefined;
    try {
      const answer = await fetch(this.address(this.options.path ?? '/v1/audio/transcriptions'), {
        method: 'POST',
        headers: this.headers,
        body: form,
        redirect: 'manual',
        dispatcher: this.agent,
        signal: limit.signal,
      });
      status = answer.status;
      retryAfterMs = retryAfter(answer.headers.get('retry-after'));
      text = await answer.text();
    } catch (error) {
      stop.throwIfAborted();
      if (limit.signal.aborted)
        throw new EngineCrashed(
          `The speech server took too long for ${(pcm.length / SAMPLES_PER_SECOND).toFixed(1)} s of speech; ` +
            'see ENGINE_PATIENCE_SECONDS and ENGINE_PATIENCE_FACTOR',
        );
      const away = NOT_SENT.has(codeOf(error)) || isCertificateProblem(error);
      throw new TryAgain(
        `The speech server ${away ? 'cannot be reached' : 'ended the connection'}: ${this.told(reasonOf(error))}`,
        away ? 'away' : 'lost',
      );
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', onAbort);
    }
    if (status === 200) return read(parsed(text));
    throw this.failure(status, text, retryAfterMs);
  }

  private failure(status: number, text: string, retryAfterMs: number | undefined): Error {
    const told = `The speech server answered ${status}: ${this.told(text.replace(/\s+/g, ' ').slice(0, 200))}`;
    if (status === 429) return new TryAgain(told, 'overloaded', retryAfterMs);
    if (status === 502 || status === 503 || status === 504) return new TryAgain(told, 'away', retryAfterMs);
    if (status === 401 || status === 403) return new EngineMisconfigured(`${told}. Check ENGINE_API_KEY.`);
    if (status === 404 || status === 405 || (status >= 300 && status < 400))
      return new EngineMisconfigured(`${told}. Check ENGINE_URL, ENGINE_PATH and ENGINE_MODEL.`);
    return new Error(told);
  }

  /** A server may repeat what it was sent. */
  private told(text: string): string {
    const { apiKey } = this.options;
    return apiKey ? text.replaceAll(apiKey, '***') : text;
  }

  private get headers(): Record<string, string> {
    return this.options.apiKey ? { authorization: `Bearer ${this.options.apiKey}` } : {};
  }

  private address(path: string): string {
    return this.options.url.replace(/\/+$/, '') + path;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param value seconds or a date; @returns milliseconds from now */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

interface Failure {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: Failure;
}

/** What fetch throws says only that it failed; the reason is in its cause. */
function causeOf(error: unknown): Failure {
  return (error as Failure).cause ?? (error as Failure);
}

function codeOf(error: unknown): string {
  return causeOf(error).code ?? '';
}

function isCertificateProblem(error: unknown): boolean {
  return /CERT|TLS|SSL|SIGNATURE/.test(codeOf(error));
}

function reasonOf(error: unknown): string {
  return causeOf(error).message || codeOf(error) || String(error);
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** RIFF, one channel of 16 bit PCM. */
function wavHeader(samples: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples * 2, 40);
  return new Uint8Array(header);
}
