import { createUserSeed } from '@currawong/messaging';
import {
  objectStoreClient,
  freshBucket,
  freshDatabase,
  freshNats,
  type FreshBucket,
  type FreshDatabase,
  type FreshNats,
} from '@currawong/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Postgres } from 'pg';

jest.setTimeout(60_000);

const root = join(__dirname, '..');
let database: FreshDatabase;
let nats: FreshNats;
let bucket: FreshBucket;
const programs: Program[] = [];

beforeAll(async () => {
  [database, nats, bucket] = await Promise.all([freshDatabase(), freshNats(), freshBucket()]);
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.kill()));
});
afterAll(async () => {
  await nats?.stop();
  await bucket?.drop();
  await database?.drop();
});

describe('a service that finds', () => {
  it('no database, and then one without its schema, waits for both and says what to do', async () => {
    const door = await Door.before(database.url);
    const jobs = await start('jobs', 'main.js', { DATABASE_URL: door.url });
    const ready = await jobs.readiness((detail) => detail.includes('database'));
    expect(ready).toMatch(
      /^The database cannot be used \(.*\)\. Start Postgres, let this process reach it, or/,
    );
    expect(await jobs.isAlive()).toBe(true);
    expect(jobs.said(/The database cannot be used/)).toBe(1);

    await door.open();
    const behind = await jobs.readiness((detail) => detail.includes('schema'));
    expect(behind).toMatch(
      /^The database schema jobs is older than this release: it lacks \d+ migrations, \w+ first\. Run `node apps\/jobs\/dist\/migrate\.js`, or wait for the migration Job\.$/,
    );
    // Said at once and every ten seconds.
    const lacking = /it lacks \d+ migrations/;
    await jobs.untilSaid(lacking, 2);
    const [first, second] = jobs.saidAtMs(lacking);
    expect(second! - first!).toBeGreaterThanOrEqual(9_900);
    await expect(consumers('CURRAWONG_RESULTS')).resolves.toEqual([]);

    const migrated = await start('jobs', 'migrate.js', { DATABASE_URL: door.url });
    expect(await migrated.ended()).toEqual({ code: 0, signal: null });
    await jobs.untilReady();
    expect(await consumers('CURRAWONG_RESULTS')).toEqual(['jobs-chunks', 'jobs-results']);
    await door.close();
  });

  it('a schema that lacks one migration of its own does not work on it; one that is newer it takes', async () => {
    await migrated('jobs');
    const [last] = await sql<{ name: string; timestamp: string }>(
      'DELETE FROM jobs.migrations WHERE id = (SELECT max(id) FROM jobs.migrations) RETURNING name, timestamp',
    );
    await sql(
      `INSERT INTO jobs.migrations (timestamp, name) VALUES (9999999999999, 'OfALaterRelease9999999999999')`,
    );
    const jobs = await start('jobs', 'main.js');
    expect(await jobs.readiness((detail) => detail.includes('schema'))).toContain(`it lacks ${last!.name}.`);
    await sql(`INSERT INTO jobs.migrations (timestamp, name) VALUES (${last!.timestamp}, '${last!.name}')`);
    await jobs.untilReady();
    jobs.signal('SIGTERM');
    expect(await jobs.ended()).toEqual({ code: 0, signal: null });
  });

  it('no object store waits for it, and ends promptly when it is told to', async () => {
    const worker = await start('worker', 'main.js', { S3_ENDPOINT: 'http://127.0.0.1:1' });
    expect(await worker.readiness((detail) => detail.includes('store'))).toMatch(
      /^The object store is not available: ECONNREFUSED\. Start the store at S3_ENDPOINT/,
    );
    const toldAt = performance.now();
    worker.signal('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    // Or it would wait for the store for two minutes.
    expect(performance.now() - toldAt).toBeLessThan(15_000);
  });

  it('a bucket that is not made yet takes it as soon as it is there', async () => {
    const later = `later-${Date.now().toString(36)}`;
    const worker = await start('worker', 'main.js', { S3_BUCKET: later });
    expect(await worker.readiness((detail) => detail.includes('bucket'))).toMatch(
      /the bucket does not exist\. Make the bucket that S3_BUCKET names/,
    );
    const client = objectStoreClient(bucket);
    await client.makeBucket(later, bucket.region);
    await worker.untilReady();
    await worker.kill();
    await client.removeBucket(later);
  });

  it('a bucket in another country does not start, and says why', async () => {
    const abroad = createHttpServer((_, response) => {
      response.writeHead(200, { 'x-amz-bucket-region': 'us-east-1' }).end();
    }).listen(0, '127.0.0.1');
    await once(abroad, 'listening');
    const worker = await start('worker', 'main.js', {
      S3_ENDPOINT: `http://127.0.0.1:${(abroad.address() as AddressInfo).port}`,
    });
    expect(await worker.ended()).toEqual({ code: 1, signal: null });
    expect(worker.said(/The bucket is in us-east-1, but ap-southeast-2 is configured/)).toBeGreaterThan(0);
    abroad.close();
  });

  it('no message broker waits for it; one that does not know it ends it with a sentence', async () => {
    const waiting = await start('worker', 'main.js', { NATS_URL: 'nats://127.0.0.1:1' });
    expect(await waiting.readiness((detail) => detail.includes('broker'))).toMatch(
      /^The message broker cannot be reached at NATS_URL/,
    );
    const stranger = await start('worker', 'main.js', { NATS_NKEY_SEED: createUserSeed() });
    expect(await stranger.ended()).toEqual({ code: 1, signal: null });
    expect(
      stranger.said(/it has no user with the public key of NATS_NKEY_SEED, U[A-Z2-7]{55}\./),
    ).toBeGreaterThan(0);
  });

  it('settings that contradict each other ends with 78 and the sentence', async () => {
    const billing = await start('billing', 'main.js', { STRIPE_SECRET_KEY: 'sk_test_1' });
    expect(await billing.ended()).toEqual({ code: 78, signal: null });
    expect(billing.output).toContain(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: set both to take payments by card, or neither',
    );
    const worker = await start('worker', 'main.js', { S3_SECRET_KEY: '' });
    expect(await worker.ended()).toEqual({ code: 78, signal: null });
    expect(worker.output).toContain('S3_ACCESS_KEY and S3_SECRET_KEY: set both');
  });
});

describe('a migration program', () => {
  it('waits for a database that is being started', async () => {
    const door = await Door.before(database.url);
    const migrate = await start('billing', 'migrate.js', { DATABASE_URL: door.url });
    await migrate.untilSaid(/The database cannot be used/);
    await door.open();
    expect(await migrate.ended()).toEqual({ code: 0, signal: null });
    expect(migrate.output).toMatch(/billing: applied /);
    await door.close();
  });

  it('gives up after MIGRATE_WAIT_SECONDS with a sentence and exit code 1', async () => {
    const env = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c', MIGRATE_WAIT_SECONDS: '2' };
    const migrate = await start('billing', 'migrate.js', env);
    expect(await migrate.ended()).toEqual({ code: 1, signal: null });
    expect(migrate.output).toMatch(
      /billing: not migrated within MIGRATE_WAIT_SECONDS=2\. The database cannot be used \(.*\)\. Start Postgres/,
    );
  });

  it('ends promptly when it is told to', async () => {
    const migrate = await start('billing', 'migrate.js', { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' });
    await migrate.untilSaid(/The database cannot be used/);
    const toldAt = performance.now();
    migrate.signal('SIGTERM');
    expect(await migrate.ended()).toEqual({ code: 1, signal: null });
    // Or it would go on for as long as MIGRATE_WAIT_SECONDS says.
    expect(performance.now() - toldAt).toBeLessThan(10_000);
  });
});

async function start(app: string, file: string, env: Record<string, string> = {}): Promise<Program> {
  const metricsPort = await freePort();
  const program = new Program(join('apps', app, 'dist', file), metricsPort, {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
    S3_REGION: bucket.region,
    RECOGNIZER: 'null',
    METRICS_PORT: String(metricsPort),
    ...env,
  });
  programs.push(program);
  return program;
}

async function migrated(app: string): Promise<void> {
  expect(await (await start(app, 'migrate.js')).ended()).toEqual({ code: 0, signal: null });
}

/** One process of the product, started as in a container. */
class Program {
  output = '';
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown[]>;

  constructor(
    path: string,
    private readonly metricsPort: number,
    env: Record<string, string>,
  ) {
    this.child = spawn(process.execPath, [path], { cwd: root, env });
    this.exit = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  /** How often it has said so. */
  said(what: RegExp): number {
    return this.output.split('\n').filter((line) => what.test(line)).length;
  }

  /** When it has said so, by its own log. */
  saidAtMs(what: RegExp): number[] {
    const lines = this.output.split('\n').filter((line) => what.test(line));
    return lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time));
  }

  untilSaid(what: RegExp, times = 1): Promise<void> {
    return until(
      async () => this.said(what) >= times,
      () => this.output,
    );
  }

  async isAlive(): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${this.metricsPort}/health/live`)).ok;
  }

  untilReady(): Promise<void> {
    return until(
      async () => (await this.askReadiness()) === 'ok',
      () => this.output,
    );
  }

  /** The reason why it is not ready, as soon as it is such a one. */
  async readiness(isAwaited: (detail: string) => boolean): Promise<string> {
    let detail = '';
    await until(
      async () => isAwaited((detail = await this.askReadiness())),
      () => this.output,
    );
    return detail;
  }

  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const [code, signal] = (await Promise.race([
      this.exit,
      sleep(20_000, undefined, { ref: false }).then(() => {
        throw new Error(`It has not ended within 20 s: ${this.output}`);
      }),
    ])) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await this.exit;
  }

  private async askReadiness(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.metricsPort}/health/ready`);
    const { status, detail } = (await response.json()) as { status?: string; detail?: string };
    return status ?? detail ?? '';
  }
}

/** The address of a database that cannot be reached until the door is open. */
class Door {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;

  private constructor(
    private readonly port: number,
    private readonly target: URL,
  ) {}

  static async before(databaseUrl: string): Promise<Door> {
    return new Door(await freePort(), new URL(databaseUrl));
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.toString();
  }

  async open(): Promise<void> {
    this.server = createServer((inside) => {
      const outside = connect(Number(this.target.port || 5432), this.target.hostname);
      for (const [socket, other] of [
        [inside, outside],
        [outside, inside],
      ] as const) {
        this.sockets.add(socket);
        socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      }
      inside.pipe(outside).pipe(inside);
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server) return;
    this.server.close();
    await once(this.server, 'close');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function until(condition: () => Promise<boolean>, context: () => string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await condition().catch(() => false))) {
    if (performance.now() > end) throw new Error(`It did not come to that within 20 s: ${context()}`);
    await sleep(50);
  }
}

async function sql<Row>(text: string): Promise<Row[]> {
  const client = new Postgres({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Names of the consumers of a stream; none where there is no stream. */
async function consumers(stream: string): Promise<string[]> {
  const { username, password, host } = new URL(nats.url);
  const connection = await connectNats({ servers: host, user: username, pass: password });
  try {
    const manager = await jetstreamManager(connection);
    const list = await manager.consumers
      .list(stream)
      .next()
      .catch(() => []);
    return list.map(({ name }) => name).sort();
  } finally {
    await connection.close();
  }
}
