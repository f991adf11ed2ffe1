import type { IncomingMessage, ServerResponse } from 'node:http';

export interface RestLimit {
  /** How much is read and thrown away; whatever comes after it is left to back up. */
  maxBytes: number;
  /** A client that sends less than this over a window is cut off. */
  minBytesPerSecond: number;
  /** Also how long a client may take to read its answer when no more is read of it. */
  windowMs: number;
}

/** For a body that nobody wanted: enough for a small one to end, then the connection goes, however fast it sends. */
export const UNWANTED_BODY: RestLimit = { maxBytes: 1_000_000, minBytesPerSecond: Infinity, windowMs: 5_000 };

/** Middleware: whatever of a request's body nobody has read when its answer is sent is neither kept nor waited for. */
export function discardUnwantedBody(
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  // First of the listeners: node's own would read an unread body to its end, however long.
  response.prependOnceListener('finish', () => discardRest(request, UNWANTED_BODY));
  next();
}

const underWay = new WeakSet<IncomingMessage>();

/**
 * Lets a client that is still sending read its refusal. Closing a connection with unread data resets it, and the
 * answer is lost with it; so the rest is read up to a limit, then left to back up while the client can still read, and
 * at last the connection is destroyed. Well-behaved clients stop as soon as they see the answer. The first call for a
 * request counts.
 *
 * The answer must not carry `Connection: close`: node would close, and so reset, as soon as it is written.
 */
export function discardRest(
  request: IncomingMessage,
  { maxBytes, minBytesPerSecond, windowMs }: RestLimit,
): void {
  if (request.complete || request.destroyed || underWay.has(request)) return;
  underWay.add(request);
  const cutOff = () => request.socket.destroy();
  const wantedBytes = Math.max(1, (minBytesPerSecond * windowMs) / 1000);
  let receivedBytes = 0;
  let windowBytes = 0;
  let timer = setInterval(() => {
    if (windowBytes < wantedBytes) cutOff();
    windowBytes = 0;
  }, windowMs).unref();
  const stop = () => clearInterval(timer);
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    windowBytes += chunk.length;
    if (receivedBytes <= maxBytes || request.isPaused()) return;
    request.pause();
    stop();
    timer = setTimeout(cutOff, windowMs).unref();
  });
  // At once: of a request that nobody has begun to read when its answer is sent, node reads all there is.
  request.read(0);
  request.resume();
  request.once('end', stop).once('close', stop);
}
