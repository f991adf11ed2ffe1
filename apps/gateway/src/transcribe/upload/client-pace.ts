import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';

export interface PaceLimit {
  /** The least a client must send on average over a window. */
  minBytesPerSecond: number;
  windowSeconds: number;
}

/**
 * Watches that a client keeps sending, so that no connection can be held for ever by a trickle. Only time in which the
 * `reader` has room counts: while the store is slow the client cannot send.
 * @returns a function that ends the watch
 */
export function watchPace(
  request: IncomingMessage,
  reader: Writable,
  limit: PaceLimit,
  onTooSlow: () => void,
) {
  const tickMs = Math.max(20, (limit.windowSeconds * 1000) / 10);
  let waitedMs = 0;
  let receivedAtStart = request.socket.bytesRead;
  const timer = setInterval(() => {
    if (reader.writableNeedDrain) return;
    waitedMs += tickMs;
    if (waitedMs < limit.windowSeconds * 1000) return;
    const receivedBytes = request.socket.bytesRead - receivedAtStart;
    if (receivedBytes < (limit.minBytesPerSecond * waitedMs) / 1000) onTooSlow();
    waitedMs = 0;
    receivedAtStart = request.socket.bytesRead;
  }, tickMs);
  return () => clearInterval(timer);
}
