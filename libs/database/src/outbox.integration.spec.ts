import { JobChanged } from '@currawong/contracts';
import { connectMessaging, ensureStreams, Publisher, type MessagingConnection } from '@currawong/messaging';
import { freshDatabase, freshNats, type FreshDatabase, type FreshNats } from '@currawong/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource, migrate, rows } from './data-source';
import { Outbox, OUTBOX_TABLE_SQL } from './outbox';

const SCHEMA = {
  schema: 'shop',
  migrations: [
    { name: 'Shop1763700000001', sql: `CREATE TABLE sales (id uuid PRIMARY KEY); ${OUTBOX_TABLE_SQL}` },
  ],
};

let database: FreshDatabase;
let nats: FreshNats;
let source: DataSource;
let connection: MessagingConnection;
const complaints: string[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([freshDatabase(), freshNats()]);
  await migrate({ ...SCHEMA, url: database.url });
  source = await createDataSource({ ...SCHEMA, url: database.url, poolSize: 2 }).initialize();
  connection = await connectMessaging({ url: nats.url, name: 'outbox-test' });
  await ensureStreams(connection);
});

afterAll(async () => {
  await connection?.close();
  await source?.destroy();
  await nats?.stop();
  await database?.drop();
});

function outbox(publisher: Pick<Publisher, 'publishRaw'> = new Publisher(connection)): Outbox {
  return new Outbox(source, publisher as Publisher, { warn: (message) => complaints.push(message) });
}

function sale(id: string) {
  return { job_id: id, account_id: id, status: 'completed' as const, at: new Date().toISOString() };
}

/** How often the stream holds the message of this sale. */
async function published(id: string): Promise<number> {
  const manager = await jetstreamManager(connection.nats);
  const { state } = await manager.streams.info('CURRAWONG_EVENTS');
  let count = 0;
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage('CURRAWONG_EVENTS', { seq });
    if (message?.json<{ job_id: string }>().job_id === id) count++;
  }
  return count;
}

async function waiting(): Promise<number> {
  return (await rows(source, 'SELECT 1 FROM outbox')).length;
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come to that within 5 s');
}

/** Makes a sale in a process of its own that is killed where `crash` says. */
function sellAndDie(id: string, crash: 'before publishing' | 'after publishing'): void {
  const script = `
    const { createDataSource, Outbox } = require(${JSON.stringify(join(__dirname, '..'))});
    const { connectMessaging, Publisher } = require('@currawong/messaging');
    const { JobChanged } = require('@currawong/contracts');
    (async () => {
      const connection = await connectMessaging({ url: ${JSON.stringify(nats.url)}, name: 'dying' });
      const real = new Publisher(connection);
      const publishRaw = async (message) => {
        if (${JSON.stringify(crash)} === 'after publishing') await real.publishRaw(message);
        process.kill(process.pid, 'SIGKILL');
        return new Promise(() => undefined);
      };
      const source = await createDataSource({ schema: 'shop', migrations: [], url: ${JSON.stringify(database.url)} }).initialize();
      await new Outbox(source, { publishRaw }, console).transaction(async (manager, send) => {
        await manager.query('INSERT INTO sales VALUES ($1)', [${JSON.stringify(id)}]);
        await send(JobChanged, ${JSON.stringify(sale(id))}, { messageId: ${JSON.stringify(id)} });
      });
    })();`;
  const child = spawnSync(process.execPath, ['-e', script], { cwd: join(__dirname, '..'), encoding: 'utf8' });
  expect({ signal: child.signal, stderr: child.stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
}

it('a message goes out at the commit, and its row is forgotten', async () => {
  const id = randomUUID();
  await outbox().transaction((_, send) => send(JobChanged, sale(id), { messageId: id }));
  await eventually(async () => (await published(id)) === 1 && (await waiting()) === 0);
});

it('a rollback sends nothing', async () => {
  const id = randomUUID();
  const sold = outbox().transaction(async (_, send) => {
    await send(JobChanged, sale(id), { messageId: id });
    throw new Error('changed my mind');
  });
  await expect(sold).rejects.toThrow('changed my mind');
  expect(await waiting()).toBe(0);
  expect(await published(id)).toBe(0);
});

it.each(['before publishing', 'after publishing'] as const)(
  'a process killed between commit and acknowledgement, %s, has its message sent exactly once',
  async (crash) => {
    const id = randomUUID();
    sellAndDie(id, crash);
    expect(await rows(source, 'SELECT 1 FROM sales WHERE id = $1', [id])).toHaveLength(1);
    expect(await waiting()).toBe(1);
    expect(await published(id)).toBe(crash === 'after publishing' ? 1 : 0);
    expect(await outbox().sweep(0)).toBe(1);
    expect(await published(id)).toBe(1);
    expect(await waiting()).toBe(0);
  },
);

it('a broker that is away keeps the row for a later sweep', async () => {
  const id = randomUUID();
  const away = { publishRaw: () => Promise.reject(new Error('the broker is away')) };
  await outbox(away).transaction((_, send) => send(JobChanged, sale(id), { messageId: id }));
  expect(await outbox(away).sweep(0)).toBe(0);
  expect(complaints.some((line) => line.includes('waits for the sweep'))).toBe(true);
  expect(await outbox().sweep(0)).toBe(1);
  expect(await published(id)).toBe(1);
});

it('twenty transactions at once on a pool of two do not wait for each other for ever', async () => {
  const ids = Array.from({ length: 20 }, () => randomUUID());
  await Promise.all(
    ids.map((id) => outbox().transaction((_, send) => send(JobChanged, sale(id), { messageId: id }))),
  );
  await eventually(async () => (await waiting()) === 0);
});
