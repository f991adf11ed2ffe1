import type { Response } from 'express';

/** Proxies end connections on which nothing is said for a minute or so. */
const HEARTBEAT_MS = 15_000;
/** A client that takes nothing for so many heartbeats is gone without having said so. */
const LONGEST_UNTAKEN_BEATS = 4;

/**
 * Begins an answer of Server-Sent Events, with a comment now and then, so that nobody in between takes the connection for
 * dead. @returns a function that ends the comments
 */
export function beginEventStream(response: Response): () => void {
  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Content-Type-Options': 'nosniff',
    // A proxy that gathers an answer before it passes it on would make news old.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  let untaken = 0;
  const timer = setInterval(() => {
    untaken = response.writableNeedDrain ? untaken + 1 : 0;
    if (untaken >= LONGEST_UNTAKEN_BEATS) response.destroy();
    else if (untaken === 0) response.write(': still here\n\n');
  }, HEARTBEAT_MS);
  return () => clearInterval(timer);
}
