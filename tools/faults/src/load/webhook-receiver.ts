import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Told } from '../invariants/facts';
import type { Random } from '../random';

/** A customer's program that is told of the ends of jobs, and fails every now and then in one way or another. */
export class WebhookReceiver {
  readonly told: Told[] = [];

  private constructor(
    private readonly server: Server,
    private readonly random: Random,
  ) {}

  static async start(random: Random): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server, random);
    server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        const event = JSON.parse(text) as { type: string; data: { id: string } };
        receiver.told.push({
          webhookId: String(request.headers['webhook-id']),
          type: event.type,
          jobId: event.data.id,
        });
        receiver.answer(response);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    server.unref();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private answer(response: ServerResponse): void {
    const draw = this.random.fraction();
    if (draw < 0.7) response.writeHead(204).end();
    else if (draw < 0.8) response.writeHead(500).end('not now');
    else if (draw < 0.9) response.destroy();
    else setTimeout(() => response.writeHead(200).end(), 3_000).unref();
  }
}
