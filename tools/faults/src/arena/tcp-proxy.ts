import { connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of the bytes between a service and a server. `silent`: nothing arrives and nobody is told. */
export type Passage =
  { kind: 'open' } | { kind: 'cut' } | { kind: 'silent' } | { kind: 'slow'; delayMs: number };

interface Pair {
  client: Socket;
  upstream: Socket | undefined;
}

/** Stands between one service and one server, so that the network between these two can fail. */
export class TcpProxy {
  private readonly pairs = new Set<Pair>();
  private passage: Passage = { kind: 'open' };

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {}

  static async before(targetPort: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new TcpProxy(server, targetPort);
    server.on('connection', (client) => proxy.accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    server.unref();
    return proxy;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy does not listen.');
    return address.port;
  }

  become(passage: Passage): void {
    this.passage = passage;
    for (const pair of [...this.pairs]) {
      if (passage.kind === 'cut') this.drop(pair);
      else if (passage.kind === 'silent') for (const end of endsOf(pair)) end.pause();
      else {
        if (!pair.upstream) this.reach(pair);
        for (const end of endsOf(pair)) end.resume();
      }
    }
  }

  async close(): Promise<void> {
    for (const pair of [...this.pairs]) this.drop(pair);
    await new Promise((closed) => this.server.close(closed));
  }

  private accept(client: Socket): void {
    if (this.passage.kind === 'cut') return void client.resetAndDestroy();
    client.setNoDelay(true);
    const pair: Pair = { client, upstream: undefined };
    this.pairs.add(pair);
    client.on('error', () => this.drop(pair));
    client.on('close', () => this.drop(pair));
    if (this.passage.kind === 'silent') client.pause();
    else this.reach(pair);
  }

  private reach(pair: Pair): void {
    const upstream = connect({ port: this.targetPort, host: '127.0.0.1', allowHalfOpen: true });
    upstream.setNoDelay(true);
    pair.upstream = upstream;
    upstream.on('error', () => this.drop(pair));
    upstream.on('close', () => this.drop(pair));
    this.forward(pair.client, upstream);
    this.forward(upstream, pair.client);
  }

  private forward(from: Socket, to: Socket): void {
    const pass = (act: () => void) => {
      if (this.passage.kind === 'slow') setTimeout(act, this.passage.delayMs);
      else act();
    };
    from.on('data', (bytes) =>
      pass(() => {
        if (to.destroyed || to.write(bytes)) return;
        from.pause();
        to.once('drain', () => {
          if (this.passage.kind !== 'silent') from.resume();
        });
      }),
    );
    from.on('end', () => pass(() => to.end()));
  }

  private drop(pair: Pair): void {
    if (!this.pairs.delete(pair)) return;
    for (const end of endsOf(pair)) end.resetAndDestroy();
  }
}

function endsOf({ client, upstream }: Pair): Socket[] {
  return upstream ? [client, upstream] : [client];
}
