import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import type { Publisher } from '@currawong/messaging';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Gauge, register } from 'prom-client';
import type { DataSource } from 'typeorm';
import { createDataSource, migrate } from './data-source';
import { showDatabase } from './metrics';
import { DatabaseModule } from './database.module';
import { Outbox, OUTBOX_TABLE_SQL } from './outbox';

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
let endMetrics: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  database = await freshDatabase();
  await migrate({ ...SHOP, url: database.url });
  line = await Line.to(database.url);
  source = createDataSource({ ...SHOP, url: line.url(database.url), poolSize: 2 });
  await source.initialize();
});
afterAll(async () => {
  await endMetrics();
  await source?.destroy();
  await line?.close();
  await database?.drop();
});
beforeEach(() => {
  line.turn('through');
  // Answers are remembered for seconds: each test asks for itself.
  endMetrics = showDatabase(source);
});

/** @returns whole pages as Prometheus gets them, as series by name and labels */
async function page(): Promise<Record<string, number>> {
  const lines = (await register.metrics()).split('\n').filter((line) => /^currawong_/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.replace(/ \S+$/, ''), Number(/ (\S+)$/.exec(line)![1])]),
  );
}

/** The series of a metric by their labels; {} where there are none. */
async function values(name: string): Promise<Record<string, number>> {
  const { values: series } = await register.getSingleMetric(name)!.get();
  return Object.fromEntries(series.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

it('the pool says how many connections are used, idle and waited for', async () => {
  const busy = [3, 3, 3].map((seconds) => source.query('SELECT pg_sleep($1)', [seconds]));
  let shown: Record<string, number> = {};
  for (let tries = 0; tries < 20 && shown['waiting'] !== 1; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    shown = await values('currawong_database_connections');
  }
  expect(shown).toEqual({ used: 2, idle: 0, waiting: 1 });
  expect(await values('currawong_database_connections_max')).toEqual({ '': 2 });
  await Promise.all(busy);
  expect(await values('currawong_database_connections')).toMatchObject({ used: 0, waiting: 0 });
});

it('work that is given an idle connection in the turn of the scrape is not said to wait', async () => {
  await source.query('SELECT 1');
  const { master: pool } = source.driver as unknown as {
    master: { connect(): Promise<{ release(): void }> };
  };
  const taken = pool.connect();
  const shown = await values('currawong_database_connections');
  (await taken).release();
  expect(shown).toMatchObject({ used: 1, waiting: 0 });
});

it('on the page of an idle service nothing waits for a connection, though others ask the database in that turn', async () => {
  // As a readiness check does that runs when the page is asked for.
  new Gauge({
    name: 'currawong_test_ready',
    help: 'asks through the pool',
    async collect() {
      await source.query('SELECT 1');
      this.set(1);
    },
  });
  try {
    for (let scrape = 0; scrape < 3; scrape++) {
      await endMetrics();
      endMetrics = showDatabase(source);
      const [shown] = await Promise.all([page(), source.query('SELECT 1')]);
      expect(shown['currawong_database_connections{state="waiting"}']).toBe(0);
      expect(shown['currawong_test_ready']).toBe(1);
    }
  } finally {
    register.removeSingleMetric('currawong_test_ready');
  }
});

it('with the pool exhausted the page says that work waits, that the database is up, and what the outbox holds', async () => {
  const busy = [4, 4, 4].map((seconds) => source.query('SELECT pg_sleep($1)', [seconds]));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const startedAt = performance.now();
  expect(await page()).toMatchObject({
    'currawong_database_connections{state="used"}': 2,
    'currawong_database_connections{state="waiting"}': 1,
    currawong_database_up: 1,
    currawong_outbox_messages: 0,
  });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  await Promise.all(busy);
});

it('scrapes have one connection of their own, opened again where it was lost and closed at the end', async () => {
  const held = async () => {
    const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = 'currawong-shop-metrics'
                   AND datname = current_database()`;
    return (await source.query<{ pid: number }[]>(sql)).map(({ pid }) => pid);
  };
  await Promise.all([page(), page()]);
  const [pid, ...more] = await held();
  expect([typeof pid, more]).toEqual(['number', []]);
  await source.query('SELECT pg_terminate_backend($1)', [pid]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  endMetrics = showDatabase(source);
  expect((await page())['currawong_database_up']).toBe(1);
  expect(await held()).not.toEqual([pid]);
  await endMetrics();
  // The server notices a moment later.
  for (let look = 0; look < 50 && (await held()).length > 0; look++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await held()).toEqual([]);
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

it('a service that ends does not wait for a database that does not answer', async () => {
  line.turn('through');
  const own = createDataSource({ ...SHOP, url: line.url(database.url), poolSize: 2, statementSeconds: 1 });
  await own.initialize();
  await own.query(
    `INSERT INTO outbox (subject, message_id, payload, created_at) VALUES ('a', '1', '{}', now() - interval '1 minute')`,
  );
  // What the stream has just taken is still to be forgotten.
  const publisher = { publishRaw: () => Promise.resolve(line.turn('silent')) };
  const outbox = new Outbox(own, publisher as unknown as Publisher, { warn: () => undefined });
  const module = new DatabaseModule(own, outbox);
  const sweeping = outbox.sweep();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const startedAt = performance.now();
  await module.onApplicationShutdown();
  expect(performance.now() - startedAt).toBeLessThan(4_500);
  await sweeping.catch(() => undefined);
  line.turn('through');
  await source.query('DELETE FROM outbox');
}, 40_000);

it('a service whose schema has no outbox shows none', async () => {
  const plain = createDataSource({ schema: 'public', migrations: [], url: database.url, poolSize: 1 });
  await plain.initialize();
  const end = showDatabase(plain);
  expect(await values('currawong_database_up')).toEqual({ '': 1 });
  expect(await values('currawong_outbox_messages')).toEqual({});
  await end();
  await plain.destroy();
  expect(await values('currawong_database_connections')).toEqual({});
});
