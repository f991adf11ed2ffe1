import { Agent, request } from 'node:http';
import { Readable } from 'node:stream';

export interface Sent {
  readonly status: number;
  readonly body: Buffer;
  /** By the clock of day, to be compared with the times that the platform writes down. */
  readonly beganAtMs: number;
  /** From the beginning of the request to the end of the answer. */
  readonly seconds: number;
}

export interface Body {
  readonly lengthBytes: number;
  readonly chunks: () => Iterable<Buffer>;
}

/**
 * One HTTP client for both sides of every comparison: plain node:http over kept connections, announcing the length of what
 * it sends.
 */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  send(method: string, url: string, headers: Record<string, string> = {}, body?: Body): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const beganAtMs = Date.now();
      const began = performance.now();
      const length = body ? { 'content-length': String(body.lengthBytes) } : {};
      const options = { method, agent: this.#agent, headers: { ...headers, ...length } };
      const outgoing = request(url, options, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.once('error', reject);
        incoming.once('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            body: Buffer.concat(parts),
            beganAtMs,
            seconds: (performance.now() - began) / 1000,
          }),
        );
      });
      outgoing.once('error', reject);
      if (body) Readable.from(body.chunks(), { objectMode: true }).pipe(outgoing);
      else outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
