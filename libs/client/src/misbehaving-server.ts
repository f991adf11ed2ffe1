import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** For specs: a real server that answers one request after the other as it is told, and the last way from then on. */
export interface MisbehavingServer {
  url: string;
  requests: IncomingMessage[];
  behave(...behaviours: Behaviour[]): void;
  close(): Promise<void>;
}

export async function startMisbehavingServer(): Promise<MisbehavingServer> {
  const requests: IncomingMessage[] = [];
  let behaviours: Behaviour[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    const behaviour = behaviours.length > 1 ? behaviours.shift()! : behaviours[0]!;
    void behaviour(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behave: (...next) => {
      behaviours = next;
      requests.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads the request to its end, then answers. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return async (request, response) => {
    request.resume();
    await once(request, 'end');
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
