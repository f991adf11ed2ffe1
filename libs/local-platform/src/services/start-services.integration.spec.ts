import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pickPorts } from '../ports';
import { Keeper } from '../processes/keeper';
import { startServices, type Services, type ServiceSurroundings } from './start-services';

jest.setTimeout(60_000);

// A service that has what the starter relies on: its readiness on METRICS_PORT, and a child that outlives a crash.
const standIn = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  require('node:http').createServer((request, response) => {
    const { PORT, HOST, PUBLIC_URL, DASHBOARD_DIR, DATABASE_URL, CURRAWONG_REGION, RECOGNIZER, ASKED_FOR } = process.env;
    const ready = request.url === '/health/ready';
    response.writeHead(ready ? 200 : 404).end(JSON.stringify({ PORT, HOST, PUBLIC_URL, DASHBOARD_DIR, DATABASE_URL, CURRAWONG_REGION, RECOGNIZER, ASKED_FOR, child: child.pid }));
  }).listen(process.env.METRICS_PORT, '127.0.0.1');
  console.log(JSON.stringify({ message: 'up' }));
  process.on('SIGTERM', () => { child.kill(); process.exit(0); });
`;

let folder: string;
let surroundings: ServiceSurroundings;
let services: Services | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-services-'));
  for (const app of ['gateway', 'jobs', 'billing', 'worker']) program(app, 'main.js', standIn);
  mkdirSync(join(folder, 'logs'));
  surroundings = {
    databaseUrl: 'postgres://somewhere',
    natsUrl: 'nats://somewhere',
    s3: {
      endpoint: 'http://somewhere',
      bucket: 'b',
      accessKey: 'a',
      secretKey: 's',
      region: 'ap-southeast-2',
    },
    tools: { python: '/python', ffmpeg: '/ffmpeg', natsServer: '', objectStore: '', speakerModels: '' },
    dataFolder: folder,
    logFolder: join(folder, 'logs'),
    keeper: await Keeper.open(folder),
    pickPorts: (names) => pickPorts(names),
  };
});
afterEach(async () => {
  await services?.stop();
  services = undefined;
  await surroundings.keeper.close();
  rmSync(folder, { recursive: true, force: true });
});

function program(app: string, name: string, source: string): void {
  mkdirSync(join(folder, 'apps', app, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'apps', app, 'dist', name), source);
}

interface Environment {
  PORT?: string;
  HOST?: string;
  PUBLIC_URL?: string;
  DASHBOARD_DIR?: string;
  DATABASE_URL: string;
  CURRAWONG_REGION: string;
  RECOGNIZER?: string;
  ASKED_FOR?: string;
  child: number;
}

async function environmentOf(name: string): Promise<Environment> {
  const response = await fetch(`${services?.metricsUrls[name]}/health/ready`);
  return (await response.json()) as Environment;
}

function isThere(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.includes(') Z ');
  } catch {
    return false;
  }
}

it('each service gets the addresses of the servers and what belongs to it alone; wishes win', async () => {
  const roles = {
    gateway: 'postgres://gateway@somewhere',
    billing: 'postgres://billing@somewhere',
    jobs: 'postgres://jobs@somewhere',
  };
  services = await startServices({
    servers: { ...surroundings, serviceUrls: roles },
    repositoryFolder: folder,
    env: { ASKED_FOR: 'yes', RECOGNIZER: 'null' },
  });
  expect(Object.keys(services.pids()).sort()).toEqual(['billing', 'gateway', 'jobs', 'worker']);
  const gateway = await environmentOf('gateway');
  const port = new URL(services.baseUrl).port;
  expect(gateway).toMatchObject({
    HOST: '127.0.0.1',
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    DASHBOARD_DIR: join(folder, 'apps', 'dashboard', 'dist'),
    ASKED_FOR: 'yes',
    DATABASE_URL: roles.gateway,
  });
  expect(await environmentOf('billing')).toMatchObject({ DATABASE_URL: roles.billing });
  const worker = await environmentOf('worker');
  expect(worker).toMatchObject({
    CURRAWONG_REGION: 'ap-southeast-2',
    RECOGNIZER: 'null',
  });
  expect(worker.HOST).toBeUndefined();
  // It knows no database, and gets no address of one either.
  expect(worker.DATABASE_URL).toBeUndefined();
  expect(readFileSync(services.logPath('worker'), 'utf8')).toContain('"up"');
});

it('a second gateway has a port, an address and a log of its own', async () => {
  services = await startServices({
    servers: surroundings,
    repositoryFolder: folder,
    services: ['gateway', 'gateway-2'],
  });
  const ports = await Promise.all(
    ['gateway', 'gateway-2'].map(async (name) => (await environmentOf(name)).PORT),
  );
  const urls = ['gateway', 'gateway-2'].map((name) => services!.baseUrlOf(name));
  expect(urls.map((url) => new URL(url).port)).toEqual(ports);
  expect(new Set(ports).size).toBe(2);
  expect(services.baseUrl).toBe(urls[0]);
  expect(() => services!.baseUrlOf('jobs')).toThrow('There is no gateway jobs in this platform.');
});

it('a killed service takes its children with it and is started again under a new id', async () => {
  const seen: Record<string, number>[] = [];
  services = await startServices({
    servers: surroundings,
    repositoryFolder: folder,
    services: ['worker'],
    onPidsChange: (pids) => seen.push({ ...pids }),
  });
  const before = services.pids()['worker'];
  const { child } = await environmentOf('worker');
  services.kill('worker', 'SIGKILL');
  while (services.pids()['worker'] === before || services.pids()['worker'] === undefined) await sleep(20);
  await services.waitUntilReady('worker');
  expect(isThere(child)).toBe(false);
  expect(seen.at(-1)).toEqual(services.pids());
});

it('a halted service stays down until it is resumed, and keeps its address', async () => {
  services = await startServices({ servers: surroundings, repositoryFolder: folder, services: ['jobs'] });
  await services.halt('jobs');
  expect(services.pids()).toEqual({});
  await sleep(500);
  await expect(environmentOf('jobs')).rejects.toThrow('fetch failed');
  await services.resume('jobs');
  expect((await environmentOf('jobs')).DATABASE_URL).toBe('postgres://somewhere');
});

it('nothing is left after the stop, however deep', async () => {
  services = await startServices({ servers: surroundings, repositoryFolder: folder });
  const names = ['billing', 'gateway', 'jobs', 'worker'];
  const children = await Promise.all(names.map(async (name) => (await environmentOf(name)).child));
  const pids = [...Object.values(services.pids()), ...children];
  expect(pids.every(isThere)).toBe(true);
  await services.stop();
  expect(pids.filter(isThere)).toEqual([]);
});

it('a service that cannot start is reported with the end of its log, and the others are stopped', async () => {
  program('jobs', 'main.js', 'console.error("JOBS_WINDOW must be a number"); process.exit(1);');
  const starting = startServices({ servers: surroundings, repositoryFolder: folder });
  await expect(starting).rejects.toThrow(
    /jobs ended while starting \(exit code 1\)[^]*JOBS_WINDOW must be a number/,
  );
});

it('schemas are brought up to date before any service starts; a failing one is reported', async () => {
  program('billing', 'migrate.js', 'console.error("relation exists"); process.exit(1);');
  const starting = startServices({ servers: surroundings, repositoryFolder: folder });
  await expect(starting).rejects.toThrow(
    'The database schema of billing could not be brought up to date: relation exists',
  );
});

it('a busy gateway port is named with the remedy', async () => {
  const { port } = await pickPorts(['port']);
  const other = createServer();
  await new Promise<void>((listening) => other.listen(port, '127.0.0.1', listening));
  const starting = startServices({ servers: surroundings, repositoryFolder: folder, port });
  await expect(starting).rejects.toThrow(
    `Port ${port} is in use by another program: choose another one, for example PORT=`,
  );
  await new Promise((closed) => other.close(closed));
});
