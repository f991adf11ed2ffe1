import { connect, type Socket } from 'node:net';

/** What came back on a connection until it was closed, or nothing more came. */
export interface Received {
  text: string;
  /** The statuses of all answers on it, in their order. */
  statuses: number[];
  seconds: number;
  /** Whether the server ended it. */
  closed: boolean;
}

export interface Sending {
  /** Sent in this order. */
  pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>;
  /** How long to listen when everything is sent and nothing comes. */
  quietMs?: number;
  /** The longest altogether. */
  longestMs?: number;
}

/** Sends bytes as they are, whatever they are, over a connection of its own. */
export async function exchange(
  baseUrl: string,
  { pieces, quietMs = 15_000, longestMs = 30_000 }: Sending,
): Promise<Received> {
  const { hostname, port } = new URL(baseUrl);
  const began = performance.now();
  const socket = connect(Number(port), hostname);
  let text = '';
  let closed = false;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      closed = true;
      resolve();
    }),
  );
  const late = setTimeout(() => socket.destroy(), longestMs);
  try {
    for await (const piece of pieces) if (!(await written(socket, piece))) break;
    socket.setTimeout(quietMs, () => socket.destroy());
    const isOurs = new Promise<boolean>((resolve) => socket.once('timeout', () => resolve(true)));
    const timedOut = await Promise.race([isOurs, ended.then(() => false)]);
    if (timedOut) closed = false;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { text, statuses, seconds: (performance.now() - began) / 1000, closed };
}

/** Waits while the other side takes nothing. @returns false where it is gone */
async function written(socket: Socket, piece: string | Buffer): Promise<boolean> {
  if (socket.destroyed) return false;
  if (socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)) return true;
  return new Promise((resolve) => {
    const go = (answer: boolean) => {
      socket.off('drain', drained).off('close', gone);
      resolve(answer);
    };
    const drained = () => go(true);
    const gone = () => go(false);
    socket.once('drain', drained).once('close', gone);
  });
}
