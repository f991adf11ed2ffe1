import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { watchPace, type PaceLimit } from '../../http/client-pace';

/**
 * Sends what comes from the store as fast as it is taken, and cuts a client off that takes less than the least over a
 * window in which bytes were waiting for it: it keeps a connection to the store that others need. Players do stop reading,
 * for minutes, when they have enough in hand. To cut them off does no harm: when they want more they ask again, for the
 * range that is left.
 * @throws whatever ended it before the end
 */
export async function passOn(body: Readable, response: ServerResponse, least: PaceLimit): Promise<void> {
  // Of the request: an answer that waits for another one on its connection has no socket yet.
  const { socket } = response.req;
  const pace = {
    movedBytes: () => socket.bytesWritten,
    isAwaited: () => response.writableLength > 0,
  };
  const stopWatch = watchPace(pace, least, () => socket.destroy());
  try {
    await pipeline(body, response);
  } finally {
    stopWatch();
  }
}
