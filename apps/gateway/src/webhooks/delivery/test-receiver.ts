import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What reached a receiver. */
export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks on this machine, for tests: a real server that answers as it is told. */
export class TestReceiver {
  readonly received: Received[] = [];
  url = '';
  private readonly server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const received = {
        ...{ at: performance.now(), path: request.url ?? '', headers: request.headers },
        body: Buffer.concat(parts).toString('utf8'),
      };
      this.received.push(received);
      this.answer(response, received, this.received.length);
    });
  });

  private constructor(
    private readonly answer: (response: ServerResponse, received: Received, count: number) => void,
  ) {}

  /** @param answer 200 unless given; `count` is 1 for the first request */
  static async open(
    answer: (response: ServerResponse, received: Received, count: number) => void = (response) =>
      void response.end('thanks'),
  ): Promise<TestReceiver> {
    const receiver = new TestReceiver(answer);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    receiver.url = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}`;
    return receiver;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
