import { Readable } from 'node:stream';

/**
 * The chunks of `source` as Buffers, until it ends, fails, or `signal` fires; whichever comes first also releases the
 * source. A loop over the source alone would wait for ever on one that stalls, and a generator that stalls cannot even
 * be returned from.
 * @throws what the source failed with, or the signal's reason; a Readable that is destroyed without an error fails with
 *   ERR_STREAM_PREMATURE_CLOSE
 */
export async function* untilAborted(
  source: Readable | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string>;
  let failWaiting: ((reason: unknown) => void) | undefined;
  const onAbort = () => failWaiting?.(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Uint8Array | string>>((resolve, reject) => {
        failWaiting = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) {
        ended = true;
        return;
      }
      yield asBuffer(next.value);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!ended) release(source, iterator);
  }
}

function release(source: Readable | AsyncIterable<Uint8Array>, iterator: AsyncIterator<unknown>): void {
  if (source instanceof Readable) source.destroy();
  // Not awaited: a generator that stalls answers never.
  else void iterator.return?.().catch(() => undefined);
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
