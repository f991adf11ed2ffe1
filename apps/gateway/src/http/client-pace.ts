/** The least that a client must send, or take, on average over a window. */
export interface PaceLimit {
  minBytesPerSecond: number;
  windowSeconds: number;
}

export interface Pace {
  /** How much has come from the client, or been taken by it, so far. */
  movedBytes: () => number;
  /** Whether it is the client's turn now; while the other side is slow a client can do nothing. */
  isAwaited: () => boolean;
}

/**
 * Watches that a client keeps going, so that no connection can be held for ever by a trickle. Only time in which it is
 * the client's turn counts.
 * @returns a function that ends the watch
 */
export function watchPace({ movedBytes, isAwaited }: Pace, limit: PaceLimit, onTooSlow: () => void) {
  const tickMs = Math.max(20, (limit.windowSeconds * 1000) / 10);
  let waitedMs = 0;
  let movedAtStart = movedBytes();
  const timer = setInterval(() => {
    if (!isAwaited()) return;
    waitedMs += tickMs;
    if (waitedMs < limit.windowSeconds * 1000) return;
    if (movedBytes() - movedAtStart < (limit.minBytesPerSecond * waitedMs) / 1000) onTooSlow();
    waitedMs = 0;
    movedAtStart = movedBytes();
  }, tickMs);
  return () => clearInterval(timer);
}
