import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { readJson } from '../files';
import { pickPorts } from '../ports';
import { type ProcessIdentity, isRunning } from '../processes/identity';
import { objectStoreClient } from './object-store';
import { type Servers, startServers } from './start-servers';

jest.setTimeout(120_000);

const library = join(__dirname, '..', '..');
// The programs are fetched once for all tests; what is under test is the servers over their data.
const toolsFolder = join(library, '..', '..', '.currawong');

let folder: string;
beforeEach(() => {
  const base = mkdtempSync(join(tmpdir(), 'currawong-servers-'));
  chmodSync(base, 0o755);
  folder = join(base, 'a path with spaces');
  mkdirSync(folder);
});
afterEach(async () => {
  // Also after a test that failed half way; stopping twice does nothing.
  await Promise.all(started.splice(0).map((servers) => servers.stop()));
  const home = readJson<{ postgresHome?: string }>(join(folder, 'settings.json'))?.postgresHome;
  if (home && home !== folder) rmSync(home, { recursive: true, force: true });
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

const started: Servers[] = [];
async function start(): Promise<Servers> {
  const servers = await startServers({ dataFolder: folder, toolsFolder, env: {} });
  started.push(servers);
  return servers;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function recorded(): (ProcessIdentity & { name: string })[] {
  return readJson(join(folder, 'processes.json')) ?? [];
}

async function waitUntilNoneRuns(processes: readonly ProcessIdentity[], seconds: number): Promise<string[]> {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() < deadline && processes.some(isRunning)) await sleep(50);
  return processes.filter(isRunning).map(({ pid }) => commandLine(pid));
}

function commandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

/** Starts the servers in a process of their own, from the built library, so that it can be killed. */
async function startElsewhere(): Promise<ChildProcess> {
  const program = `require(${JSON.stringify(join(library, 'dist', 'index.js'))})
    .startServers({ dataFolder: ${JSON.stringify(folder)}, toolsFolder: ${JSON.stringify(toolsFolder)}, env: {} })
    .then(() => { console.log('ready'); setInterval(() => {}, 1e6); }, (error) => { console.log(error.message); process.exit(1); });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (data) => resolve(String(data).trim())),
  );
  expect(said).toBe('ready');
  return child;
}

it('data and addresses survive a stop and a second start, below a path with spaces', async () => {
  const first = await start();
  await query(first.databaseUrl, "CREATE TABLE birds AS SELECT 'currawong' AS name");
  await objectStoreClient(first.s3).putObject(first.s3.bucket, 'song', Buffer.from('ringing'));
  await first.stop();
  const second = await start();
  expect([second.databaseUrl, second.natsUrl, second.s3]).toEqual([
    first.databaseUrl,
    first.natsUrl,
    first.s3,
  ]);
  expect(await query(second.databaseUrl, 'SELECT name FROM birds')).toEqual([{ name: 'currawong' }]);
  expect((await objectStoreClient(second.s3).statObject(second.s3.bucket, 'song')).size).toBe(7);
  await second.stop();
  expect(await waitUntilNoneRuns(recorded(), 1)).toEqual([]);
});

it('data survives when every remembered port has been taken by others', async () => {
  const first = await start();
  await query(first.databaseUrl, "CREATE TABLE birds AS SELECT 'currawong' AS name");
  await objectStoreClient(first.s3).putObject(first.s3.bucket, 'song', Buffer.from('ringing'));
  await first.stop();
  const path = join(folder, 'settings.json');
  const settings = readJson<{ ports: Record<string, number> }>(path);
  if (!settings) throw new Error('no settings');
  writeFileSync(path, JSON.stringify({ ...settings, ports: await pickPorts(Object.keys(settings.ports)) }));
  const second = await start();
  expect(second.databaseUrl).not.toBe(first.databaseUrl);
  expect(await query(second.databaseUrl, 'SELECT name FROM birds')).toEqual([{ name: 'currawong' }]);
  const chunks: Buffer[] = [];
  for await (const chunk of await objectStoreClient(second.s3).getObject(second.s3.bucket, 'song'))
    chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('ringing');
  await second.stop();
});

it('they listen on 127.0.0.1 alone, ask for a password, and their secrets are for the owner alone', async () => {
  const servers = await start();
  const withoutPassword = new URL(servers.databaseUrl);
  withoutPassword.password = 'wrong';
  await expect(query(withoutPassword.toString(), 'SELECT 1')).rejects.toThrow(
    'password authentication failed',
  );
  expect(await query(servers.databaseUrl, 'SHOW listen_addresses')).toEqual([
    { listen_addresses: '127.0.0.1' },
  ]);
  expect(await query(servers.databaseUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  for (const name of ['settings.json', 'nats.conf', 'processes.json']) {
    const { mode } = statSync(join(folder, name));
    expect([name, (mode & 0o777).toString(8)]).toEqual([name, '600']);
  }
  await servers.stop();
});

it('nothing is left running after kill -9 of the process that started them, and the next start finds the data', async () => {
  const parent = await startElsewhere();
  const processes = recorded();
  expect(processes.map(({ name }) => name).sort()).toEqual(['keeper', 'nats', 'owner', 'postgres', 's3']);
  parent.kill('SIGKILL');
  expect(await waitUntilNoneRuns(processes, 15)).toEqual([]);
  const servers = await start();
  expect(await query(servers.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await servers.stop();
});

it('what is left after kill -9 of the starter and its keeper is cleared by the next start', async () => {
  const parent = await startElsewhere();
  const processes = recorded();
  const keeper = processes.find(({ name }) => name === 'keeper');
  if (!keeper) throw new Error('no keeper');
  process.kill(keeper.pid, 'SIGKILL');
  parent.kill('SIGKILL');
  await waitUntilNoneRuns(
    processes.filter(({ name }) => name === 'keeper' || name === 'owner'),
    2,
  );
  const left = processes.filter(isRunning);
  expect(left.map(({ name }) => name).sort()).toEqual(['nats', 'postgres', 's3']);
  const servers = await start();
  expect(await waitUntilNoneRuns(left, 0)).toEqual([]);
  expect(await query(servers.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await servers.stop();
});

it('a process that merely has a recorded id is not touched', async () => {
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  const entry = { pid: bystander.pid, began: 'another time', name: 'postgres', stage: 1, signal: 'SIGKILL' };
  writeFileSync(join(folder, 'processes.json'), JSON.stringify([entry]));
  const servers = await start();
  expect(bystander.exitCode).toBeNull();
  expect(bystander.signalCode).toBeNull();
  await servers.stop();
  bystander.kill('SIGKILL');
});

it('an interrupted first start, stale id files and cut-off settings do not stand in the way', async () => {
  mkdirSync(join(folder, 'postgres.new', 'base'), { recursive: true });
  writeFileSync(join(folder, 'settings.json'), '{"secrets": {"postgresPass');
  writeFileSync(join(folder, 'processes.json'), '[{"pid": 1');
  const first = await start();
  await first.stop();
  const home = readJson<{ postgresHome: string }>(join(folder, 'settings.json'))?.postgresHome ?? folder;
  expect(existsSync(join(home, 'postgres.new'))).toBe(false);
  // The id in Postgres' own file now belongs to this test.
  writeFileSync(join(home, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(home, 'postgres')}\n`);
  const second = await start();
  expect(await query(second.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await second.stop();
});

it('servers that are named by the environment are used and not started', async () => {
  const one = await start();
  const other = join(folder, 'other');
  mkdirSync(other);
  const env = {
    DATABASE_URL: one.databaseUrl,
    NATS_URL: one.natsUrl,
    S3_ENDPOINT: one.s3.endpoint,
    S3_ACCESS_KEY: one.s3.accessKey,
    S3_SECRET_KEY: one.s3.secretKey,
    S3_BUCKET: 'another-bucket',
  };
  const two: Servers = await startServers({ dataFolder: other, toolsFolder, env });
  expect(Object.keys(two.embedded)).toEqual([]);
  expect(two.databaseUrl).toBe(one.databaseUrl);
  expect(await objectStoreClient(one.s3).bucketExists('another-bucket')).toBe(true);
  expect(readdirSync(other).sort()).toEqual(['logs', 'settings.json']);
  await two.stop();
  expect(await query(one.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await one.stop();
});

it('a second process does not take over the servers of one that runs', async () => {
  const parent = await startElsewhere();
  await expect(start()).rejects.toThrow(`is in use by process ${parent.pid}`);
  expect(recorded().every(isRunning)).toBe(true);
  parent.kill('SIGKILL');
  await waitUntilNoneRuns(recorded(), 15);
});

it('a store without its keys is refused with a sentence', async () => {
  const env = { S3_ENDPOINT: 'http://127.0.0.1:1' };
  await expect(startServers({ dataFolder: folder, toolsFolder, env })).rejects.toThrow(
    'S3_ENDPOINT is set, so S3_ACCESS_KEY and S3_SECRET_KEY must be set as well.',
  );
});

it('a killed server comes back by itself, on the same port', async () => {
  const servers = await start();
  const { postgres, nats, s3 } = servers.embedded;
  for (const server of [postgres, nats, s3]) {
    if (!server) throw new Error('not embedded');
    const before = server.process.pid;
    server.process.kill('SIGKILL');
    while (server.process.pid === before || server.process.pid === undefined) await sleep(20);
    await server.waitUntilReady();
  }
  expect(await query(servers.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await servers.stop();
});
