import { connect } from 'node:net';
import { objectStoreClient } from '@currawong/local-platform';
import { Client } from 'pg';
import { freshBucket, freshDatabase, freshNats, testServers } from './index';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function greeting(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}

describe('a fresh database', () => {
  it('is copied from a template that is prepared once, however many ask at the same time', async () => {
    let prepared = 0;
    const template = {
      name: 'birds',
      prepare: async (url: string) => {
        prepared += 1;
        await query(url, "CREATE TABLE birds (name text); INSERT INTO birds VALUES ('currawong')");
      },
    };
    const databases = await Promise.all([1, 2, 3].map(() => freshDatabase(template)));
    const [first, second] = databases;
    if (!first || !second) throw new Error('no databases');
    await query(first.url, 'DELETE FROM birds');
    expect(await query(first.url, 'SELECT name FROM birds')).toEqual([]);
    expect(await query(second.url, 'SELECT name FROM birds')).toEqual([{ name: 'currawong' }]);
    expect(prepared).toBe(1);
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('is gone after the drop, though a connection was left open', async () => {
    const database = await freshDatabase();
    const forgotten = new Client({ connectionString: database.url });
    forgotten.on('error', () => undefined);
    await forgotten.connect();
    await database.drop();
    const name = new URL(database.url).pathname.slice(1);
    expect(
      await query(testServers().databaseUrl, `SELECT 1 FROM pg_database WHERE datname = '${name}'`),
    ).toEqual([]);
    await forgotten.end().catch(() => undefined);
  });
});

describe('a fresh bucket', () => {
  it('stores and is gone after the drop, with an upload left unfinished', async () => {
    const bucket = await freshBucket();
    const client = objectStoreClient(bucket);
    await client.putObject(bucket.bucket, 'a/b', Buffer.from('hello'));
    await client.initiateNewMultipartUpload(bucket.bucket, 'unfinished', {});
    await bucket.drop();
    expect(await client.bucketExists(bucket.bucket)).toBe(false);
  });
});

describe('a fresh NATS server', () => {
  it('has JetStream, comes back on its port after a kill, and is nobody else’s', async () => {
    const [one, other] = await Promise.all([freshNats(), freshNats()]);
    expect(one.url).not.toBe(other.url);
    expect(await greeting(one.url)).toContain('"jetstream":true');
    await one.halt('SIGKILL');
    await expect(greeting(one.url)).rejects.toThrow('ECONNREFUSED');
    await one.resume();
    expect(await greeting(one.url)).toContain('"jetstream":true');
    await Promise.all([one.stop(), other.stop()]);
  });
});
