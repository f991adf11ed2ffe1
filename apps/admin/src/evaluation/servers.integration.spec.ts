import { NATS_PERMISSIONS, rolesSql, SCHEMA_OWNERS } from '@currawong/contracts';
import { createUserSeed } from '@currawong/messaging';
import { freshDatabase, testServers, type FreshDatabase } from '@currawong/testing';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { natsAuthorization, newDatabaseUrls, newNatsSeeds } from './credentials';

// What the evaluation Secrets say, tried at the servers that are to understand it.

describe('roles.sql in Postgres', () => {
  type Service = keyof typeof SCHEMA_OWNERS;
  const services = Object.keys(SCHEMA_OWNERS) as Service[];
  const suffix = randomBytes(4).toString('hex');
  let database: FreshDatabase;
  let urls: Record<string, string>;

  beforeAll(async () => {
    database = await freshDatabase();
    const { host, pathname } = new URL(database.url);
    urls = Object.fromEntries(
      Object.entries(newDatabaseUrls('localhost')).map(([service, made]) => {
        const url = new URL(made);
        // Roles belong to the whole server, which other tests use as well.
        url.username += `_${suffix}`;
        url.host = host;
        url.pathname = pathname;
        return [service, url.href];
      }),
    );
    await inDatabase(database.url, rolesSql(urls));
  });
  afterAll(async () => {
    const drop = services.map(
      (service) => `DROP OWNED BY ${service}_${suffix} CASCADE; DROP ROLE ${service}_${suffix}`,
    );
    await inDatabase(database.url, drop.join(';'));
    await database.drop();
  });

  async function inDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  it('can be repeated, and has one statement a line', async () => {
    const lines = rolesSql(urls).split('\n');
    expect(lines.filter((line) => line !== '' && !line.endsWith(';'))).toEqual([]);
    await inDatabase(database.url, rolesSql(urls));
  });

  it('lets each service bring its own schema up to date', () => {
    for (const service of services) {
      const program = join(__dirname, '../../..', service, 'dist', 'migrate.js');
      const env = { ...process.env, DATABASE_URL: urls[service] };
      expect(execFileSync(process.execPath, [program], { env, encoding: 'utf8' })).toMatch(
        /applied|up to date/,
      );
    }
  });

  it.each(services.flatMap((mine) => services.map((other) => [mine, other] as const)))(
    '%s in the schema of %s: its own alone can be read and changed',
    async (mine, other) => {
      const schema = SCHEMA_OWNERS[other];
      const reads = () => inDatabase(urls[mine]!, `SELECT count(*) FROM ${schema}.migrations`);
      const makes = () => inDatabase(urls[mine]!, `CREATE TABLE ${schema}.intruder_${mine} (id int)`);
      if (mine === other) {
        expect(await reads()).toHaveLength(1);
        await makes();
      } else {
        await expect(reads()).rejects.toThrow(`permission denied for schema ${schema}`);
        await expect(makes()).rejects.toThrow(`permission denied for schema ${schema}`);
      }
    },
  );

  it('gives no service more than that: no role, no database, no public schema, no password of others', async () => {
    for (const sql of [
      'CREATE ROLE intruder',
      'CREATE DATABASE intruder',
      'CREATE TABLE public.intruder (id int)',
      'SELECT rolpassword FROM pg_authid',
      `SET ROLE billing_${suffix}`,
      `DROP SCHEMA ${SCHEMA_OWNERS.billing} CASCADE`,
    ])
      await expect(inDatabase(urls['jobs']!, sql)).rejects.toThrow(/permission denied|must be owner/);
  });
});

describe('nats-authorization.conf in nats-server', () => {
  const seeds = newNatsSeeds(Object.keys(NATS_PERMISSIONS));
  const folder = mkdtempSync(join(tmpdir(), 'currawong-authorization-'));
  let server: ChildProcess;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    writeFileSync(join(folder, 'authorization.conf'), natsAuthorization(seeds, NATS_PERMISSIONS));
    const config = join(folder, 'nats.conf');
    writeFileSync(
      config,
      `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/js" }\ninclude "./authorization.conf"\n`,
    );
    // Some servers exit with 0 after a test that failed: the words count.
    const tested = execFileSync(testServers().tools.natsServer, ['-c', config, '-t'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(tested).not.toMatch(/error/i);
    server = spawn(testServers().tools.natsServer, ['-c', config], { stdio: 'ignore' });
  });
  afterAll(async () => {
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  });

  async function signIn(seed: string) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await connect({
          servers: `127.0.0.1:${port}`,
          authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
          reconnect: false,
          timeout: 2_000,
        });
      } catch (error) {
        if (attempt >= 50 || !/connection refused/i.test(String(error))) throw error;
        await sleep(100);
      }
    }
  }

  it.each(Object.entries(seeds))(
    '%s signs in, and may say what its table lists and nothing else',
    async (user, seed) => {
      const connection = await signIn(seed);
      const [mine = ''] = NATS_PERMISSIONS[user as keyof typeof NATS_PERMISSIONS].publish.allow.filter(
        (subject) => !subject.includes('*') && !subject.includes('>'),
      );
      const violations: string[] = [];
      void (async () => {
        for await (const status of connection.status())
          if (status.type === 'error') violations.push(status.error.message);
      })();
      connection.publish(mine, '');
      await connection.flush();
      expect(violations).toEqual([]);
      connection.publish('elsewhere', '');
      await connection.flush();
      // The client hands a refusal on later than the answer that follows it.
      for (let waits = 0; waits < 50 && violations.length === 0; waits++) await sleep(20);
      expect(violations).toEqual([
        expect.stringMatching(/Permissions Violation for Publish to "elsewhere"/i),
      ]);
      await connection.close();
    },
  );

  it('refuses a seed that is not in it, and whoever has none', async () => {
    await expect(signIn(createUserSeed())).rejects.toThrow(/authorization/i);
    await expect(connect({ servers: `127.0.0.1:${port}`, reconnect: false })).rejects.toThrow(
      /authorization/i,
    );
  });

  async function freePort(): Promise<number> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const chosen = (listener.address() as AddressInfo).port;
    listener.close();
    await once(listener, 'close');
    return chosen;
  }
});
