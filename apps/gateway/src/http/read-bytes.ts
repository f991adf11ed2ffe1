import type { IncomingMessage } from 'node:http';
import { RefusalException } from './refusal.exception';

/** Requests as such have no time limit, because of uploads; nobody needs as long for a small body. */
const MAX_MS = 30_000;

/**
 * A small body as it was sent. What is left of one that is refused is discarded when the answer is sent.
 * @throws RefusalException where it is longer than allowed, takes longer than it may, or the client leaves
 */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const settle = (error?: RefusalException) => {
      clearTimeout(timer);
      request.off('data', take).off('end', onEnd).off('close', onGone).off('error', onGone);
      if (!error) return resolve(Buffer.concat(chunks));
      request.pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= maxBytes) chunks.push(chunk);
      else settle(RefusalException.of('body_unreadable', `The body has more than ${maxBytes} bytes.`));
    };
    const onEnd = () => settle();
    const onGone = () => settle(RefusalException.of('client_gone'));
    const timer = setTimeout(() => settle(RefusalException.of('request_timeout')), MAX_MS);
    if (request.destroyed) return onGone();
    request.on('data', take).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}
