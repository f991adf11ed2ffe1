import { pipeline, Transform, type Readable } from 'node:stream';
import { Client, errors } from 'undici';
import type { AddressRange } from './addresses';
import { guardedConnector } from './connect';
import { OutboundError, type OutboundFailure } from './errors';
import { Guard } from './guard';
import { nameServers, type Lookup } from './lookup';
import { parseTarget } from './target';

const CONNECT_SECONDS = 5;
const LONGEST_HEADERS_BYTES = 16_384;

export interface OutboundOptions {
  /** Addresses that the operator allows although they are not public. */
  allowed: readonly AddressRange[];
  /** Whether http:// may be used to call those. */
  plainHttp?: boolean;
  /** In the place of the name servers; for tests. */
  lookup?: Lookup;
}

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of it, as long as it may be. */
  body: Buffer;
}

/** The body is read by the caller, who destroys it where it is not wanted to its end. It fails with an OutboundError. */
export interface OpenAnswer extends Omit<OutboundAnswer, 'body'> {
  body: Readable;
}

/**
 * Calls addresses that customers named, and can be led nowhere else: the address is judged at every call, the connection
 * goes to what was judged, no redirect is followed, and time and bytes are bounded. Every call has a connection of its own.
 */
export class Outbound {
  private readonly guard: Guard;

  constructor({ allowed, plainHttp = false, lookup }: OutboundOptions) {
    this.guard = new Guard(allowed, lookup ?? nameServers({ withSystem: allowed.length > 0 }), plainHttp);
  }

  /**
   * Whether an address would be called if it were called now; nothing is connected to. A name that cannot be looked up
   * at the moment passes: it is judged again when it is called.
   * @returns the end of a sentence that begins with the name of a field, or undefined where nothing is wrong
   */
  async problemWith(url: string): Promise<string | undefined> {
    try {
      await this.guard.addressesOf(targetOf(url));
      return undefined;
    } catch (error) {
      const failed = asOutboundError(error);
      return failed.failure === 'unreachable' ? undefined : failed.message;
    }
  }

  /**
   * Sends a request and reads the beginning of the answer; what is longer than `maxBytes` is not read.
   * @param seconds for everything together
   * @throws OutboundError
   */
  async call(
    request: OutboundRequest,
    limits: { seconds: number; maxBytes: number },
  ): Promise<OutboundAnswer> {
    const overall = AbortSignal.timeout(limits.seconds * 1_000);
    const signal = AbortSignal.any([overall, ...(request.signal ? [request.signal] : [])]);
    try {
      const { body, ...answer } = await this.send(request, limits.seconds, signal);
      return { ...answer, body: await beginningOf(body, limits.maxBytes) };
    } catch (error) {
      throw overall.aborted ? tooSlow(limits.seconds, error) : asOutboundError(error);
    }
  }

  /**
   * Sends a request and hands on the answer's body as it comes.
   * @param limits answerSeconds until the headers are there, idleSeconds without a byte of the body,
   *   seconds for everything together, maxBytes of the body
   * @throws OutboundError
   */
  async open(
    request: OutboundRequest,
    limits: { answerSeconds: number; idleSeconds: number; seconds: number; maxBytes: number },
  ): Promise<OpenAnswer> {
    const overall = AbortSignal.timeout(limits.seconds * 1_000);
    const first = new AbortController();
    const timer = setTimeout(() => first.abort(), limits.answerSeconds * 1_000);
    const signal = AbortSignal.any([overall, first.signal, ...(request.signal ? [request.signal] : [])]);
    try {
      const answer = await this.send(request, limits.idleSeconds, signal);
      const named = (error: unknown) =>
        overall.aborted ? tooSlow(limits.seconds, error) : asOutboundError(error);
      return {
        ...answer,
        body: bounded(answer.body, limits.maxBytes, named),
      };
    } catch (error) {
      if (overall.aborted) throw tooSlow(limits.seconds, error);
      throw first.signal.aborted ? tooSlow(limits.answerSeconds, error) : asOutboundError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private async send(
    request: OutboundRequest,
    idleSeconds: number,
    signal: AbortSignal,
  ): Promise<OpenAnswer> {
    const url = targetOf(request.url);
    const client = new Client(url.origin, {
      connect: guardedConnector(this.guard, url, CONNECT_SECONDS * 1_000),
      pipelining: 0,
      maxHeaderSize: LONGEST_HEADERS_BYTES,
      // The caller's signal ends the wait for the headers.
      headersTimeout: 0,
      bodyTimeout: idleSeconds * 1_000,
    });
    const end = () => void client.destroy().catch(() => undefined);
    try {
      // Before the connection is made, a signal ends nothing: a lookup or a handshake would be waited for.
      const answer = await untilAborted(
        client.request({
          path: `${url.pathname}${url.search}`,
          method: request.method,
          headers: { ...request.headers },
          body: request.body ?? null,
          signal,
        }),
        signal,
      );
      answer.body.once('close', end);
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      end();
      throw error;
    }
  }
}

function targetOf(text: string): URL {
  const target = parseTarget(text);
  if (!target.ok) throw new OutboundError('refused', target.problem);
  return target.url;
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function beginningOf(body: Readable, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (length >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}

/** Destroyed together with what it reads from, from either end. */
function bounded(source: Readable, maxBytes: number, named: (error: unknown) => OutboundError): Readable {
  let length = 0;
  const body = new Transform({
    transform(part: Buffer, _encoding, done) {
      length += part.length;
      if (length <= maxBytes) done(null, part);
      else done(new OutboundError('too_large', `it sent more than the ${maxBytes} bytes that are allowed`));
    },
  });
  source.once('error', (error) => body.destroy(named(error)));
  pipeline(source, body, () => undefined);
  return body;
}

function tooSlow(seconds: number, cause: unknown): OutboundError {
  return new OutboundError('timed_out', `it did not answer within ${seconds} s`, cause);
}

function asOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const failed = (failure: OutboundFailure, message: string) => new OutboundError(failure, message, error);
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError)
    return failed('timed_out', 'it did not answer in time');
  if (error instanceof errors.BodyTimeoutError) return failed('timed_out', 'it stopped sending its answer');
  if (error instanceof errors.HeadersOverflowError)
    return failed('too_large', 'the headers of its answer are too long');
  if (error instanceof errors.RequestAbortedError || (error as Error)?.name === 'AbortError')
    return failed('aborted', 'the call was given up');
  return failed('unreachable', sentenceOf(error));
}

/** What the system says of connections, in words. */
function sentenceOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'ECONNREFUSED') return 'it refused the connection';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE')
    return 'it closed the connection';
  if (typeof code === 'string' && /CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code))
    return `its certificate or its TLS is not acceptable (${code})`;
  if (error instanceof errors.HTTPParserError) return 'its answer is not HTTP';
  return 'it could not be reached';
}
