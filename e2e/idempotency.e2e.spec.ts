import { objectStoreClient, startPlatform, type TestPlatform } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { Client, newCustomer } from './client';
import { wav } from './recordings';

jest.setTimeout(180_000);

// Gateways side by side; two of them end without warning, each at its own worst moment, and are started again. No worker:
// what is accepted stays where it is.
let platform: TestPlatform;
const CRASHING = { 'gateway-3': 'upload.stored', 'gateway-4': 'receipt.accepted' };

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway', 'gateway-2', ...Object.keys(CRASHING)],
    env: { SWEEP_INTERVAL_SECONDS: '0.2', UPLOAD_LEASE_SECONDS: '10' },
    envOf: Object.fromEntries(
      Object.entries(CRASHING).map(([name, point]) => [name, { CURRAWONG_CRASH_AT: point }]),
    ),
  });
}, 120_000);
afterAll(() => platform?.stop());

interface Sent {
  via?: string;
  seconds?: number;
  /** Samples a second, as the file says: a low number makes a small file a long recording. */
  hertz?: number;
  name?: string;
  fields?: Record<string, string>;
}

/** Sends a recording under a key, as a program does that sends the same again after a failure. */
async function send(
  customer: Client,
  key: string,
  { via = 'gateway', seconds = 1, hertz = 16_000, name = 'a.wav', fields }: Sent = {},
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields ?? {})) form.set(field, value);
  const bytes = wav(seconds, 440);
  bytes.writeUInt32LE(hertz, 24);
  bytes.writeUInt32LE(2 * hertz, 28);
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  const response = await fetch(`${platform.baseUrlOf(via)}/api/v1/transcribe`, {
    method: 'POST',
    headers: { 'X-API-Key': customer.apiKey!, 'Idempotency-Key': key },
    body: form,
  });
  const body = (await response.json()) as Record<string, string>;
  const { job_id, detail } = body;
  return { status: response.status, job_id, detail };
}

const jobsOf = async (customer: Client) =>
  ((await customer.get('/api/v1/jobs')).body['jobs'] as { id: string }[]).map(({ id }) => id);
const balanceOf = async (customer: Client) => (await customer.get('/api/v1/credit')).body['balance_aud'];

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await reached()) return;
    await sleep(100);
  }
  throw new Error('it did not come to that within 40 s');
}

/** The ids of a customer's jobs once those that were withdrawn are gone, an upload whose gateway died among them. */
async function settledJobs(customer: Client, count: number): Promise<string[]> {
  for (let tries = 0; tries < 400 && (await jobsOf(customer)).length !== count; tries++) await sleep(100);
  return jobsOf(customer);
}

it('of 20 equal requests at once over two gateways one becomes a job, and all get its receipt, with credit for one', async () => {
  // A minute costs 0.02, and under 0.50 nothing is accepted: once it is held there is too little for another.
  const customer = await newCustomer(platform, { creditAud: '0.51' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      send(customer, 'once', { via: n % 2 ? 'gateway-2' : 'gateway', seconds: 3, hertz: 800 }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const [id, ...others] = new Set(answers.map(({ job_id }) => job_id));
  expect(others).toEqual([]);
  expect(await settledJobs(customer, 1)).toEqual([id]);
  expect(await balanceOf(customer)).toBe('0.49');
  // Hours later, with nothing left to pay another one with.
  expect(await send(customer, 'once', { seconds: 3, hertz: 800 })).toMatchObject({ status: 200, job_id: id });
  expect((await send(customer, 'twice', { seconds: 3, hertz: 800 })).status).toBe(402);
});

it('fields that mean the same are the same request; another file, name or field is refused', async () => {
  const customer = await newCustomer(platform, { creditAud: '1' });
  const first = await send(customer, 'k', { fields: { num_speakers: '2', prompt: 'Ada' } });
  expect(first.status).toBe(200);
  const same = { language: 'en-AU', prompt: ' Ada ', num_speakers: '2', unknown: 'field' };
  expect(await send(customer, 'k', { fields: same })).toMatchObject({ status: 200, job_id: first.job_id });
  for (const other of [
    { seconds: 2, fields: { num_speakers: '2', prompt: 'Ada' } },
    { name: 'b.wav', fields: { num_speakers: '2', prompt: 'Ada' } },
    { fields: { num_speakers: '3', prompt: 'Ada' } },
    { fields: { num_speakers: '2' } },
    { fields: { num_speakers: '2', prompt: 'Ada', analysis: 'sentiment' } },
  ]) {
    const refused = await send(customer, 'k', other);
    expect(refused.status).toBe(409);
    expect(refused.detail).toMatch(/Idempotency-Key.*24 hours.*new key/);
  }
  expect(await settledJobs(customer, 1)).toEqual([first.job_id]);
});

it('what is no key is refused, and leaves no job', async () => {
  const customer = await newCustomer(platform, { creditAud: '1' });
  for (const key of ['', 'two words', 'x'.repeat(256), 'naïve'])
    expect(await send(customer, key)).toMatchObject({
      ...{ status: 400, detail: expect.stringMatching(/^Idempotency-Key: must be 1 to 255 visible ASCII/) },
    });
  expect(await jobsOf(customer)).toEqual([]);
});

it('a refused request keeps no key: after a top-up, or with a better file, the same key is good', async () => {
  const customer = await newCustomer(platform);
  expect((await send(customer, 'k')).status).toBe(402);
  await platform.admin('credit', 'add', customer.accountId, '--aud', '0.50', '--reason', 'test');
  // More than there is: refused only when it has been stored and measured.
  expect((await send(customer, 'k', { seconds: 10, hertz: 100 })).status).toBe(402);
  const accepted = await send(customer, 'k');
  expect(accepted.status).toBe(200);
  expect(await send(customer, 'k')).toMatchObject({ job_id: accepted.job_id });
  expect(await settledJobs(customer, 1)).toEqual([accepted.job_id]);
});

it('a job that its owner has deleted since keeps its key: the same receipt, and nothing is transcribed anew', async () => {
  const customer = await newCustomer(platform, { creditAud: '1' });
  const { job_id } = await send(customer, 'k');
  const path = `/api/v1/jobs/${job_id}`;
  // Cancelled first, as no worker ends it; deleted when nothing of it is left.
  expect((await customer.send('DELETE', path)).status).toBe(200);
  expect(await send(customer, 'k')).toMatchObject({ status: 200, job_id });
  await until(async () => (await customer.get(`${path}/deletion`)).body['erased_at'] !== null);
  // A minute later it is another wish.
  const database = new Postgres(platform.databaseUrl);
  await database.connect();
  await database.query(
    "UPDATE jobs.deletions SET requested_at = requested_at - interval '2 minutes' WHERE job_id = $1",
    [job_id],
  );
  await database.end();
  expect((await customer.send('DELETE', path)).status).toBe(200);
  expect((await customer.get(path)).status).toBe(404);
  expect(await send(customer, 'k')).toMatchObject({ status: 200, job_id });
  expect((await send(customer, 'k', { seconds: 2 })).status).toBe(409);
  expect(await settledJobs(customer, 0)).toEqual([]);
  expect(await balanceOf(customer)).toBe('1.00');
});

it('a key is its account’s and its mode’s', async () => {
  const customer = await newCustomer(platform, { creditAud: '1' });
  const stranger = await newCustomer(platform, { creditAud: '1' });
  const created = await platform.admin<{ api_key: string }>(
    ...['key', 'create', customer.accountId, '--name', 'test', '--mode', 'test'],
  );
  const tester = new Client(platform.baseUrl, created.api_key);
  const all = [customer, stranger, tester];
  const ids = await Promise.all(all.map(async (one) => (await send(one, 'k')).job_id));
  expect(new Set(ids).size).toBe(3);
  expect(ids).not.toContain(undefined);
  expect(await Promise.all(all.map(async (one) => (await send(one, 'k')).job_id))).toEqual(ids);
});

it.each(Object.entries(CRASHING))(
  'when %s is killed at %s, the other one gives the receipt, and there is one job and one charge',
  async (gateway) => {
    const customer = await newCustomer(platform, { creditAud: '1' });
    await expect(send(customer, 'k', { via: gateway, seconds: 3, hertz: 800 })).rejects.toThrow(
      'fetch failed',
    );
    const answer = await send(customer, 'k', { seconds: 3, hertz: 800 });
    expect(answer.status).toBe(200);
    expect(await settledJobs(customer, 1)).toEqual([answer.job_id]);
    expect(await balanceOf(customer)).toBe('0.98');
    await platform.waitReady(gateway);
  },
);

it('when jobs is killed while equal requests wait for it, they get one receipt', async () => {
  for (const afterMs of [0, 100]) {
    const customer = await newCustomer(platform, { creditAud: '1' });
    const asking = Promise.all(
      [0, 1, 2, 3].map((n) =>
        send(customer, 'k', { via: n % 2 ? 'gateway-2' : 'gateway', seconds: 3, hertz: 800 }),
      ),
    );
    await sleep(afterMs);
    platform.kill('jobs', 'SIGKILL');
    const answers = await asking;
    await platform.waitReady('jobs');
    // One whose upload could not even be opened is told so, and sends the same again.
    for (const { status } of answers) expect([200, 503, 500]).toContain(status);
    const last = await send(customer, 'k', { seconds: 3, hertz: 800 });
    expect(last.status).toBe(200);
    const told = answers.filter(({ status }) => status === 200).map(({ job_id }) => job_id);
    expect(new Set([...told, last.job_id]).size).toBe(1);
    expect(await settledJobs(customer, 1)).toEqual([last.job_id]);
    expect(await balanceOf(customer)).toBe('0.98');
  }
});

it('a key is kept for 24 hours by the clock of the database, and then may mean something else', async () => {
  const customer = await newCustomer(platform, { creditAud: '1' });
  const first = await send(customer, 'k');
  const database = new Postgres(platform.databaseUrl);
  await database.connect();
  const age = (hours: string) =>
    database.query(
      `UPDATE jobs.idempotency_keys SET accepted_at = now() - $2::interval WHERE account_id = $1`,
      [customer.accountId, hours],
    );
  await age('23 hours 59 minutes');
  // A few sweeps.
  await sleep(1_000);
  expect(await send(customer, 'k')).toMatchObject({ job_id: first.job_id });
  await age('24 hours 1 second');
  const second = await send(customer, 'k', { seconds: 2 });
  expect(second.status).toBe(200);
  expect(second.job_id).not.toBe(first.job_id);
  await age('25 hours');
  const keys = () =>
    database.query('SELECT FROM jobs.idempotency_keys WHERE account_id = $1', [customer.accountId]);
  await until(async () => (await keys()).rowCount === 0);
  await database.end();
});

it('leaves books that add up, and in the store one recording for each job', async () => {
  const database = new Postgres(platform.databaseUrl);
  await database.connect();
  const count = async (sql: string) => Number((await database.query<{ n: string }>(sql)).rows[0]!.n);
  const store = objectStoreClient(platform.s3);
  const stored = async () => {
    const names: string[] = [];
    for await (const { name } of store.listObjectsV2(platform.s3.bucket, '', true)) names.push(name);
    const { uploads } = await store.listIncompleteUploadsQuery(platform.s3.bucket, '', '', '', '');
    return { objects: names.length, uploads: uploads.length };
  };
  const jobs = await count("SELECT count(*) AS n FROM jobs.jobs WHERE state = 'pending'");
  expect(jobs).toBeGreaterThan(8);
  for (let tries = 0; tries < 100 && (await stored()).objects !== jobs; tries++) await sleep(100);
  expect(await stored()).toEqual({ objects: jobs, uploads: 0 });
  expect(await count("SELECT count(*) AS n FROM jobs.jobs WHERE state = 'uploading'")).toBe(0);
  const live = await count("SELECT count(*) AS n FROM jobs.jobs WHERE state = 'pending' AND mode = 'live'");
  await database.end();
  const report = await platform.admin<{ problems: string[]; open_holds: unknown[] }>('ledger', 'check');
  expect(report.problems).toEqual([]);
  expect(report.open_holds).toHaveLength(live);
});
