import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetData, identify, isRunning, type ProcessIdentity } from '@currawong/local-platform';

jest.setTimeout(180_000);

const repository = join(__dirname, '..', '..', '..');
let folder: string;
let port: number;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-start-'));
  port = await freePort();
});

/**
 * Below those that the system gives to whoever asks for any: in the seconds until the platform listens, and between two of
 * its starts, other tests would take one of them.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const candidate = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(candidate, () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return candidate;
  }
}
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));
afterAll(async () => {
  await waitFor(async () => recorded().every((one) => !isRunning(one)), 30);
  forgetData(folder);
  rmSync(folder, { recursive: true, force: true });
});

/** The built starter, over a data folder of this test; without the servers that the environment may name. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const { DATABASE_URL: _d, NATS_URL: _n, S3_ENDPOINT: _s, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(repository, 'tools', 'start', 'dist', 'start.js'), ...args], {
    env: {
      ...inherited,
      CURRAWONG_DATA_FOLDER: folder,
      PORT: String(port),
      RECOGNIZER: 'null',
      INIT_CWD: repository,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, text: () => text };
}

async function waitFor(holds: () => Promise<boolean> | boolean, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('What was waited for did not happen.');
    await sleep(100);
  }
}

function recorded(): ProcessIdentity[] {
  const path = join(folder, 'processes.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity[]) : [];
}

function ready(): { base_url: string; api_key: string; pids: Record<string, number> } {
  return JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'));
}

it('transcribes the sample once, prints plain lines, says goodbye with 0 and leaves nothing running', async () => {
  const run = start(['--once']);
  expect([await run.ended, run.text()]).toEqual([0, expect.stringContaining('Done in')]);
  expect(run.text()).not.toMatch(/[\r\x1b]/);
  expect(recorded()).toEqual([]);
  expect(existsSync(join(folder, 'ready.json'))).toBe(false);
  expect(existsSync(join(folder, 'start.lock'))).toBe(false);
});

it('stays up; a second start finds it; a killed service comes back; kill -9 leaves nothing', async () => {
  const first = start(['--no-demo']);
  await waitFor(() => existsSync(join(folder, 'ready.json')), 60);
  const { base_url: baseUrl, api_key: apiKey, pids } = ready();
  const usage = await fetch(`${baseUrl}/api/v1/usage`, { headers: { 'X-API-Key': apiKey } });
  expect(usage.status).toBe(200);

  const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as {
    email: string;
    password: string;
  };
  const signedIn = await fetch(`${baseUrl}/api/v1/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: demo.email, password: demo.password }),
  });
  expect(signedIn.status).toBe(200);
  expect(statSync(join(folder, 'demo.json')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'ready.json'), 'utf8')).not.toContain(demo.password);
  await waitFor(() => first.text().includes(`Sign in     ${demo.email} / ${demo.password}`), 10);

  const second = start([]);
  expect([await second.ended, second.text()]).toEqual([
    0,
    expect.stringContaining(`already running (process ${first.child.pid}) at ${baseUrl}`),
  ]);
  const once = start(['--once']);
  expect([await once.ended, once.text()]).toEqual([0, expect.stringContaining('Done in')]);
  const fresh = start(['--fresh']);
  expect([await fresh.ended, fresh.text()]).toEqual([1, expect.stringContaining('stop it before --fresh')]);

  process.kill(pids['worker'] as number, 'SIGKILL');
  await waitFor(() => ready().pids['worker'] !== undefined && ready().pids['worker'] !== pids['worker'], 20);

  const processes = [...recorded(), ...Object.values(ready().pids).flatMap((pid) => identify(pid) ?? [])];
  expect(processes.filter(isRunning).length).toBeGreaterThanOrEqual(9);
  first.child.kill('SIGKILL');
  await waitFor(() => !processes.some(isRunning), 25);
  expect(existsSync(join(folder, 'ready.json'))).toBe(false);
});

it('the account and its key survive, and Ctrl-C stops everything with 0', async () => {
  const before = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as { api_key: string };
  const run = start(['--no-demo']);
  await waitFor(() => run.text().includes('Ctrl-C stops everything'), 60);
  expect(ready().api_key).toBe(before.api_key);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  expect(recorded()).toEqual([]);
});

it('what the user has to put right is said in one sentence, with exit code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => other.once('listening', listening));
  const busy = String((other.address() as AddressInfo).port);
  const cases: [string[], Record<string, string>, string][] = [
    [
      ['--no-demo'],
      { PORT: busy },
      `Port ${busy} is in use by another program: choose another one, for example PORT=`,
    ],
    [['--once', 'no-such.wav'], {}, `There is no file ${join(repository, 'no-such.wav')}.`],
    [['--speakers', 'two'], {}, '--speakers takes a whole number from 1 to 10.'],
    [
      ['--once'],
      { S3_ENDPOINT: 'http://127.0.0.1:1' },
      'S3_ENDPOINT is set, so S3_ACCESS_KEY and S3_SECRET_KEY must be set as well.',
    ],
  ];
  for (const [args, env, sentence] of cases) {
    const run = start(args, env);
    expect([await run.ended, run.text()]).toEqual([1, expect.stringContaining(sentence)]);
    expect(run.text()).not.toContain('    at ');
  }
  await new Promise((closed) => other.close(closed));
});

it('a file that the API does not take ends with its sentence and exit code 1', async () => {
  const run = start(['--once', 'package.json']);
  expect([await run.ended, run.text()]).toEqual([1, expect.stringContaining('was not accepted')]);
});
