import { Agent, request } from 'node:http';

/** An answer down to its bytes. */
export interface RawAnswer {
  status: number;
  /** Names in lower case; those that count requests or tell the time are left out. */
  headers: Record<string, string>;
  body: string;
}

export interface RawRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

const VARYING = /^(ratelimit-.*|retry-after|date|keep-alive|connection)$/;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends exactly this, any verb, and gives what comes back unread. An event stream is left after its first bytes. */
export function ask(baseUrl: string, { method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        const answer = () =>
          resolve({
            status: response.statusCode!,
            headers: Object.fromEntries(
              Object.entries(response.headers)
                .filter(([name]) => !VARYING.test(name))
                .map(([name, value]) => [name, String(value)]),
            ),
            body: Buffer.concat(chunks).toString('latin1'),
          });
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
          answer();
          response.destroy();
        });
        response.once('end', answer).once('error', reject);
      },
    );
    sent.setTimeout(20_000, () => sent.destroy(new Error(`${method} ${path} was not answered within 20 s`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Ends the connections that were kept. */
export function hangUp(): void {
  agent.destroy();
}
