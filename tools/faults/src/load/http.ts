import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a client was told, or that it was told nothing. */
export type Answer =
  | { kind: 'answered'; status: number; body: Record<string, unknown> | undefined; seconds: number }
  | { kind: 'broken'; reason: string; seconds: number };

/** No client waits longer: an answer that comes later counts as none, and none is a broken promise. */
export const PATIENCE_SECONDS = 90;

export interface FilePart {
  filename: string;
  bytes: Buffer;
  /** Share of the file after which the client goes away. */
  abortAt?: number | undefined;
  /** Sent in so many pieces, with this pause between them. */
  paceMs?: number | undefined;
}

export function get(url: string, apiKey: string): Promise<Answer> {
  return exchange('GET', url, { 'X-API-Key': apiKey }, (outgoing) => void outgoing.end());
}

export function remove(url: string, apiKey: string): Promise<Answer> {
  return exchange('DELETE', url, { 'X-API-Key': apiKey }, (outgoing) => void outgoing.end());
}

export function post(
  url: string,
  headers: Record<string, string>,
  file: FilePart,
  fields: Record<string, string>,
): Promise<Answer> {
  const boundary = '----faults-7d1f0c';
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.filename}"\r\n` +
      `Content-Type: application/octet-stream\r\n\r\n`,
  );
  const rest = Object.entries(fields).map(
    ([name, value]) => `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`,
  );
  const tail = Buffer.from(`${rest.join('')}\r\n--${boundary}--\r\n`);
  const length = head.length + file.bytes.length + tail.length;
  return exchange(
    'POST',
    url,
    {
      ...headers,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(length),
    },
    async (outgoing) => {
      await write(outgoing, head);
      const pieces = file.paceMs === undefined ? 4 : 40;
      const pieceBytes = Math.max(1, Math.ceil(file.bytes.length / pieces));
      const stopAt = file.abortAt === undefined ? Infinity : file.abortAt * file.bytes.length;
      for (let at = 0; at < file.bytes.length; at += pieceBytes) {
        const piece = file.bytes.subarray(at, Math.min(at + pieceBytes, stopAt));
        if (piece.length > 0) await write(outgoing, piece);
        if (at + pieceBytes > stopAt) return void outgoing.destroy(new Error('the client went away'));
        if (file.paceMs !== undefined) await sleep(file.paceMs);
      }
      if (file.abortAt !== undefined) return void outgoing.destroy(new Error('the client went away'));
      outgoing.end(tail);
    },
  );
}

function write(outgoing: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed || outgoing.write(bytes)) return resolve();
    const go = () => {
      outgoing.off('drain', go).off('close', go);
      resolve();
    };
    outgoing.once('drain', go).once('close', go);
  });
}

function exchange(
  method: string,
  url: string,
  headers: Record<string, string>,
  send: (outgoing: ClientRequest) => Promise<void> | void,
): Promise<Answer> {
  const beganAt = performance.now();
  const seconds = () => (performance.now() - beganAt) / 1000;
  return new Promise((resolve) => {
    const outgoing = request(url, { method, headers, agent: false });
    const patience = setTimeout(
      () => outgoing.destroy(new Error(`no answer within ${PATIENCE_SECONDS} s`)),
      PATIENCE_SECONDS * 1000,
    );
    const settle = (answer: Answer) => {
      clearTimeout(patience);
      resolve(answer);
    };
    outgoing.on('error', (error) => settle({ kind: 'broken', reason: error.message, seconds: seconds() }));
    outgoing.on('response', (incoming: IncomingMessage) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', (error) => settle({ kind: 'broken', reason: error.message, seconds: seconds() }));
      incoming.on('end', () =>
        settle({
          kind: 'answered',
          status: incoming.statusCode ?? 0,
          body: parsed(Buffer.concat(chunks).toString('utf8')),
          seconds: seconds(),
        }),
      );
    });
    void Promise.resolve(send(outgoing)).catch((error: unknown) => outgoing.destroy(error as Error));
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
