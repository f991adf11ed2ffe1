import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DownloadOptions {
  readonly connectSeconds: number;
  readonly stallSeconds: number;
  /** How long the file is, where that is known: another length is refused before it is fetched. */
  readonly bytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told often: bytes that are there. */
  readonly onBytes?: (received: number) => void;
}

/** So often is a download taken up again that broke after it had brought something. */
const MOST_RESUMPTIONS = 20;

/**
 * Fetches a file and goes on where an earlier attempt ended, if the server still has the same one (its entity tag lies
 * beside it in `path.etag`). A proxy is used where Node is told to (NODE_USE_ENV_PROXY=1 and HTTPS_PROXY).
 * @throws Error, half a sentence; with the code of the file system's error where it is one.
 */
export async function download(address: string, path: string, options: DownloadOptions): Promise<void> {
  for (let resumptions = 0; ; resumptions += 1) {
    const before = sizeOf(path);
    try {
      return await attempt(address, path, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      const mayGoOn = error instanceof Interrupted && sizeOf(path) > before && resumptions < MOST_RESUMPTIONS;
      if (!mayGoOn) throw error;
      await sleep(Math.min(1000 * (resumptions + 1), 10_000), undefined, { signal: options.signal });
    }
  }
}

/** @returns lower-case hexadecimal SHA-256 of the file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** Whether a server answers for this address at all, and has the file; never throws. */
export async function isReachable(address: string, seconds: number): Promise<boolean> {
  try {
    const response = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(seconds * 1000) });
    return response.ok;
  } catch {
    return false;
  }
}

/** The connection was lost on the way: what came is kept. */
class Interrupted extends Error {}

async function attempt(address: string, path: string, options: DownloadOptions): Promise<void> {
  const { connectSeconds, stallSeconds, bytes, signal, onBytes } = options;
  const had = sizeOf(path);
  if (bytes !== undefined && had === bytes) return;
  const tag = had > 0 && (bytes === undefined || had < bytes) ? await readTag(path) : undefined;
  const patience = new AbortController();
  const signals = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal;
  const giveUp = (why: string) => () => patience.abort(new Interrupted(why));
  let timer = setTimeout(
    giveUp(`no answer from ${new URL(address).host} in ${connectSeconds} s`),
    connectSeconds * 1000,
  );
  try {
    const headers = {
      'accept-encoding': 'identity',
      ...(tag && { range: `bytes=${had}-`, 'if-range': tag }),
    };
    const response = await answerOf(address, headers, signals);
    if (response.status === 416) {
      // What is here is longer than what is there: another file.
      await forget(path);
      throw new Interrupted(`${address} has changed`);
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new Error(`${address} answers ${response.status}`);
    }
    const goesOn =
      response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${had}-`);
    const from = goesOn ? had : 0;
    const length = Number(response.headers.get('content-length') ?? NaN);
    if (bytes !== undefined && length + from !== bytes && !Number.isNaN(length)) {
      await response.body.cancel();
      throw new Error(`${address} is ${length + from} bytes long instead of ${bytes}`);
    }
    await keepTag(path, response.headers.get('etag'));
    let received = from;
    const counted = async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        clearTimeout(timer);
        timer = setTimeout(giveUp(`nothing came for ${stallSeconds} s`), stallSeconds * 1000);
        received += piece.length;
        yield piece;
        onBytes?.(received);
      }
    };
    const body = Readable.fromWeb(response.body);
    await pipeline(body, counted, createWriteStream(path, { flags: goesOn ? 'a' : 'w' }), {
      signal: signals,
    });
    if (bytes !== undefined && received !== bytes)
      throw new Interrupted(`only ${received} bytes of ${bytes} came`);
  } catch (error) {
    throw patience.signal.aborted ? patience.signal.reason : interrupted(error);
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf(
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(address, { headers, signal, redirect: 'follow' });
  } catch (error) {
    signal.throwIfAborted();
    const { host } = new URL(address);
    throw new Error(`${host} cannot be reached (${rootOf(error)})`, { cause: error });
  }
}

/** Errors of the disk stay what they are; what else breaks a stream is the connection. */
function interrupted(error: unknown): unknown {
  const isOurs = error instanceof Interrupted || (error as NodeJS.ErrnoException).syscall !== undefined;
  const isStream =
    (error as Error).name === 'TypeError' || (error as NodeJS.ErrnoException).code !== undefined;
  return isOurs || !isStream ? error : new Interrupted(`the connection broke (${rootOf(error)})`);
}

function rootOf(error: unknown): string {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? (error as Error).message;
}

async function readTag(path: string): Promise<string | undefined> {
  return readFile(`${path}.etag`, 'utf8').catch(() => undefined);
}

/** Weak tags say that two files mean the same, not that they are the same. */
async function keepTag(path: string, tag: string | null): Promise<void> {
  if (tag && !tag.startsWith('W/')) await writeFile(`${path}.etag`, tag);
  else await rm(`${path}.etag`, { force: true });
}

async function forget(path: string): Promise<void> {
  await Promise.all([rm(path, { force: true }), rm(`${path}.etag`, { force: true })]);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
