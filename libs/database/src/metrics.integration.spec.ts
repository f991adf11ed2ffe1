import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { register } from 'prom-client';
import type { DataSource } from 'typeorm';
import { createDataSource, migrate } from './data-source';
import { showDatabase } from './metrics';
import { OUTBOX_TABLE_SQL } from './outbox';

/** Between us and Postgres: lets bytes through, refuses connections, or takes them and never says anything. */
class Line {
  mood: 'through' | 'refuses' | 'silent' = 'through';
  private readonly sockets = new Set<Socket>();
  private constructor(private readonly server: Server) {}

  static async to(url: string): Promise<Line> {
    const { hostname, port } = new URL(url);
    const server = createServer((socket) => {
      line.sockets.add(socket.on('error', () => undefined));
      if (line.mood === 'refuses') return socket.destroy();
      if (line.mood === 'silent') return undefined;
      const beyond = connect(Number(port), hostname).on('error', () => socket.destroy());
      line.sockets.add(beyond);
      return socket.pipe(beyond).pipe(socket);
    });
    const line = new Line(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  url(original: string): string {
    const url = new URL(original);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  turn(mood: Line['mood']): void {
    if (mood === this.mood) return;
    this.mood = mood;
    for (const socket of this.sockets)
      if (mood === 'silent') socket.unpipe();
      else socket.destroy();
    if (mood !== 'silent') this.sockets.clear();
  }

  close(): Promise<void> {
    this.turn('refuses');
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const SHOP = { schema: 'shop', migrations: [{ name: 'Shop1763700000001', sql: OUTBOX_TABLE_SQL }] };

let database: FreshDatabase;
let line: Line;
let source: DataSource;
let endMetrics: () => void = () => undefined;

beforeAll(async () => {
  database = await freshDatabase();
  await migrate({ ...SHOP, url: database.url });
  line = await Line.to(database.url);
  source = createDataSource({ ...SHOP, url: line.url(database.url), poolSize: 2 });
  await source.initialize();
});
afterAll(async () => {
  endMetrics();
  await source?.destroy();
  await line?.close();
  await database?.drop();
});
beforeEach(() => {
  line.turn('through');
  // Answers are remembered for seconds: each test asks for itself.
  endMetrics = showDatabase(source);
});

/** The series of a metric by their labels; {} where there are none. */
async function values(name: string): Promise<Record<string, number>> {
  const { values: series } = await register.getSingleMetric(name)!.get();
  return Object.fromEntries(series.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

it('the pool says how many connections are used, idle and waited for', async () => {
  const busy = [0.5, 0.5, 0.5].map((seconds) => source.query('SELECT pg_sleep($1)', [seconds]));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await values('currawong_database_connections')).toEqual({ used: 2, idle: 0, waiting: 1 });
  expect(await values('currawong_database_connections_max')).toEqual({ '': 2 });
  await Promise.all(busy);
  expect(await values('currawong_database_connections')).toMatchObject({ used: 0, waiting: 0 });
});

it('the outbox says how many messages it holds and how old the oldest is', async () => {
  await source.query(
    `INSERT INTO outbox (subject, message_id, payload, created_at)
     VALUES ('a', '1', '{}', now() - interval '1 minute'), ('a', '2', '{}', now())`,
  );
  expect(await values('currawong_outbox_messages')).toEqual({ '': 2 });
  const { '': oldest } = await values('currawong_outbox_oldest_seconds');
  expect(oldest).toBeGreaterThanOrEqual(60);
  expect(oldest).toBeLessThan(70);
  await source.query('DELETE FROM outbox');
  endMetrics = showDatabase(source);
  expect(await values('currawong_outbox_messages')).toEqual({ '': 0 });
  expect(await values('currawong_outbox_oldest_seconds')).toEqual({ '': 0 });
});

it.each(['refuses', 'silent'] as const)(
  'with a database that %s the scrape answers soon, says so, and shows nothing old',
  async (mood) => {
    expect(await values('currawong_database_up')).toEqual({ '': 1 });
    line.turn(mood);
    endMetrics = showDatabase(source);
    const startedAt = performance.now();
    const [up, messages, oldest, connections] = await Promise.all(
      ['database_up', 'outbox_messages', 'outbox_oldest_seconds', 'database_connections'].map((name) =>
        values(`currawong_${name}`),
      ),
    );
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeLessThan(3_000);
    if (mood === 'silent') expect(tookMs).toBeGreaterThan(1_900);
    expect([up, messages, oldest]).toEqual([{ '': 0 }, {}, {}]);
    expect(Object.keys(connections!).sort()).toEqual(['idle', 'used', 'waiting']);
    line.turn('through');
    endMetrics = showDatabase(source);
    // The connection that the pool was waiting for may have to run into its own limit first.
    for (const deadline = Date.now() + 12_000; Date.now() < deadline;) {
      if ((await values('currawong_database_up'))[''] === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
      endMetrics = showDatabase(source);
    }
    expect(await values('currawong_database_up')).toEqual({ '': 1 });
  },
  40_000,
);

it('a service whose schema has no outbox shows none', async () => {
  const plain = createDataSource({ schema: 'public', migrations: [], url: database.url, poolSize: 1 });
  await plain.initialize();
  const end = showDatabase(plain);
  expect(await values('currawong_database_up')).toEqual({ '': 1 });
  expect(await values('currawong_outbox_messages')).toEqual({});
  end();
  await plain.destroy();
  expect(await values('currawong_database_connections')).toEqual({});
});
