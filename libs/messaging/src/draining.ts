import type { Server, ServerResponse } from 'node:http';

/**
 * Serves on, but asks clients to go: from `begin` on every answer says `Connection: close` and its connection is closed
 * behind it. What is sent anew comes over a new connection, which a load balancer opens to another process. Connections that
 * stay idle hear nothing of it: whoever drains closes them while the listener is still open.
 */
export class Draining {
  private begun = false;
  private readonly underWay = new Set<ServerResponse>();

  /** @param server before it listens: the answers of all its connections have to be known */
  constructor(server: Server) {
    server.prependListener('request', (_request, response) => {
      if (this.begun) response.shouldKeepAlive = false;
      this.underWay.add(response);
      response.once('close', () => this.underWay.delete(response));
    });
  }

  begin(): void {
    this.begun = true;
    for (const response of this.underWay) if (!response.headersSent) response.shouldKeepAlive = false;
  }
}
