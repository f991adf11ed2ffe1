import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one request to transcribe held. */
export interface SeenRequest {
  readonly headers: IncomingMessage['headers'];
  /** All values of each field; the file as latin1. */
  readonly fields: ReadonlyMap<string, string[]>;
  readonly atMs: number;
}

export type Behaviour = (
  response: ServerResponse,
  request: SeenRequest,
  index: number,
) => void | Promise<void>;

export interface ScriptedServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** How many requests it had at the same time at most. */
  readonly mostAtOnce: number;
  /** Connections that were ever opened. */
  readonly connections: number;
  /** Clients that left before they had their answer. */
  readonly left: number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export interface ScriptedServerOptions {
  /** The answer to GET /v1/models; without it there is none. */
  readonly models?: object;
  /** The header by which it names its software. */
  readonly software?: string;
}

/** A speech server that speaks the protocol and misbehaves on demand: for tests. */
export async function scriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  let behaviour: Behaviour = (response) => json(response, 200, spoken('hello', 'world'));
  let now = 0;
  let mostAtOnce = 0;
  let connections = 0;
  let left = 0;
  const server = createServer((request, response) => {
    response.setHeader('server', options.software ?? 'uvicorn');
    if (request.method === 'GET')
      return request.url === '/v1/models' && options.models
        ? json(response, 200, options.models)
        : json(response, 404, {});
    const chunks: Buffer[] = [];
    mostAtOnce = Math.max(mostAtOnce, ++now);
    response.once('close', () => {
      now--;
      if (!response.writableEnded) left++;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const fields = formFields(Buffer.concat(chunks).toString('latin1'));
      const one = { headers: request.headers, fields, atMs: performance.now() };
      seen.push(one);
      void behaviour(response, one, seen.length - 1);
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get mostAtOnce() {
      return mostAtOnce;
    },
    get connections() {
      return connections;
    },
    get left() {
      return left;
    },
    behave: (next) => (behaviour = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An answer as OpenAI's interface gives it: half a second for each word. */
export function spoken(...words: string[]): object {
  return {
    task: 'transcribe',
    language: 'english',
    duration: words.length / 2,
    text: words.join(' '),
    words: words.map((word, index) => ({ word, start: index / 2, end: (index + 1) / 2 })),
  };
}

function formFields(body: string): Map<string, string[]> {
  const boundary = body.slice(0, body.indexOf('\r\n'));
  const fields = new Map<string, string[]>();
  for (const part of body.split(boundary).slice(1, -1)) {
    const [, name] = /name="([^"]+)"/.exec(part) ?? [];
    const value = part.slice(part.indexOf('\r\n\r\n') + 4, -2);
    if (name) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return fields;
}
