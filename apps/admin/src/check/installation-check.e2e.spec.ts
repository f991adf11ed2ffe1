import { startPlatform, type TestPlatform } from '@currawong/testing';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

// The programs of the operator's image, run as processes against a whole platform.

const root = join(__dirname, '../../../..');
const sample = join(root, 'samples', 'two-voices.ogg');

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
}, 120_000);
afterAll(() => platform.stop());

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

async function run(program: string, args: string[], env: Record<string, string>, cwd = '/'): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, 'apps/admin', program), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', NATS_URL: platform.nats.url, ...env },
  });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => (ended.out += String(chunk)));
  child.stderr.on('data', (chunk) => (ended.err += String(chunk)));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ ...ended, code }));
  });
}

function check(env: Record<string, string> = {}): Promise<Ended> {
  return run('dist/installation-check.js', [], {
    BASE_URL: platform.baseUrl,
    SAMPLE_PATH: sample,
    CHECK_WITHIN_SECONDS: '120',
    ...env,
  });
}

interface Accounts {
  accounts: { email: string; state: string }[];
}

it('an installation that works is said to: steps with times, the transcript, exit 0, and the account is closed', async () => {
  const { code, out, err } = await check();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const step of ['gateway', 'account', 'upload', 'transcription', 'transcript', 'clean-up'])
    expect(out).toMatch(new RegExp(`^ *\\d+\\.\\d s  ${step}: `, 'm'));
  expect(out).toMatch(/^\[Speaker 1\]: .+/m);
  expect(out).toMatch(/^\[Speaker 2\]: .+/m);
  expect(out).toMatch(/The installation works\.\n$/);
  const { accounts } = await platform.admin<Accounts>('account', 'list');
  expect(
    accounts.filter(({ email }) => email.startsWith('installation-check-')).map(({ state }) => state),
  ).toEqual(['closed']);
}, 150_000);

it('what does not work is named with where to look, and the exit is 1', async () => {
  const missing = await check({ SAMPLE_PATH: '/nowhere.ogg' });
  expect(missing).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no recording at /nowhere.ogg'),
  });

  const away = await check({ BASE_URL: 'http://127.0.0.1:1', CHECK_WITHIN_SECONDS: '10' });
  expect(away.code).toBe(1);
  expect(away.err).toMatch(
    /The installation does not work\. GET .* got no answer: .*Look at the gateway pods/,
  );

  const elsewhere = await check({ NATS_URL: 'nats://127.0.0.1:1' });
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.err).toContain('The NATS server cannot be used');
}, 120_000);

it('without a worker the job is reported as not begun, and the account is closed nevertheless', async () => {
  await platform.halt('worker');
  const { code, out, err } = await check({ CHECK_WITHIN_SECONDS: '10' });
  await platform.resume('worker');
  expect(code).toBe(1);
  expect(err).toMatch(/is pending and 0 % done, .*No worker has begun it: look whether the worker pods run/);
  expect(out).toContain('clean-up: the account is closed');
}, 60_000);

it('currawong-admin works from any folder, and its usage names it', async () => {
  const listed = await run('bin/currawong-admin', ['account', 'list'], {});
  expect(listed).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(listed.out)).toHaveProperty('accounts');
  const usage = await run('bin/currawong-admin', ['help'], {}, '/tmp');
  expect(usage).toMatchObject({
    code: 0,
    out: expect.stringContaining('  currawong-admin account create --email'),
  });
  const wrong = await run('bin/currawong-admin', ['account', 'destroy'], {}, '/tmp');
  expect(wrong).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no command "account destroy"'),
  });
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  'the idle program holds until %s, and then ends at once with 0',
  async (signal) => {
    const child = spawn(process.execPath, [join(root, 'apps/admin/dist/idle.js')]);
    await new Promise((ready) => child.stdout.once('data', ready));
    expect(child.exitCode).toBeNull();
    const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve({ code, by })));
    const began = performance.now();
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, by: null });
    expect(performance.now() - began).toBeLessThan(2_000);
  },
);
