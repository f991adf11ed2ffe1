import { createDataSource, type DataSource } from '@currawong/database';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

// What a test key may do in a day, with a day of two minutes.
jest.setTimeout(60_000);

let platform: TestPlatform;
let database: DataSource;
let objects: ObjectStore;

beforeAll(async () => {
  platform = await startPlatform({
    env: { RECOGNIZER: 'null', TEST_SECONDS_PER_DAY: '120', SWEEP_INTERVAL_SECONDS: '0.2' },
  });
  const { databaseUrl: url } = platform;
  database = await createDataSource({ url, schema: 'jobs', migrations: [], poolSize: 1 }).initialize();
  objects = createObjectStore({ ...platform.s3 });
}, 120_000);

afterAll(async () => {
  objects?.close();
  await database?.destroy();
  await platform?.stop();
});

const newTestCustomer = () => newCustomer(platform, { mode: 'test' });

async function jobsOf({ accountId }: { accountId: string }): Promise<number> {
  const [{ jobs }] = await database.query(
    `SELECT count(*)::int AS jobs FROM jobs WHERE account_id = $1 AND state <> 'discarded'`,
    [accountId],
  );
  return jobs;
}

async function used(client: Client): Promise<string> {
  const { status, body } = await client.transcribe({ name: 'more.wav', bytes: wav(60) });
  expect(status).toBe(402);
  return String(body['detail']);
}

it('only the first minute of a recording is transcribed and counted, and no money is touched', async () => {
  const someone = await newTestCustomer();
  const id = await someone.submit({ name: 'long.wav', bytes: wav(90) });
  expect(await someone.finished(id)).toMatchObject({
    status: 'completed',
    audio_duration_seconds: 60,
    cost_aud: 0,
  });
  expect((await someone.get('/api/v1/credit')).body).toMatchObject({
    balance_aud: '0.00',
    total_used_aud: '0.00',
  });
  // A minute is left: the next one fits, and then nothing does.
  await someone.submit({ name: 'long.wav', bytes: wav(90) });
  expect(await used(someone)).toBe(
    'The test keys of this account have used 2 min of the 2 min of audio that they have a day: 0 s is left. Use a live key, or wait until midnight in Sydney.',
  );
});

it('of 60 recordings of 4 s at once exactly 30 are accepted, and nothing of the others stays', async () => {
  const someone = await newTestCustomer();
  const bytes = wav(4);
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => someone.transcribe({ name: 'short.wav', bytes })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(30).fill(200), ...Array<number>(30).fill(402)]);
  expect(await jobsOf(someone)).toBe(30);
  await Promise.all(
    answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => someone.finished(String(body['job_id']))),
  );
  const deadline = Date.now() + 20_000;
  let kept: string[];
  do {
    kept = [];
    for await (const { key } of objects.list(`audio/${someone.accountId}/`)) kept.push(key);
  } while (kept.length > 30 && Date.now() < deadline);
  expect(kept).toHaveLength(30);
});

it('a recording that needs more than is left is refused whole', async () => {
  const someone = await newTestCustomer();
  await someone.submit({ name: 'a.wav', bytes: wav(60) });
  await someone.submit({ name: 'b.wav', bytes: wav(30) });
  expect(await used(someone)).toContain('have used 1 min 30 s of the 2 min');
  expect(await used(someone)).toContain('30 s is left, and this recording needs 1 min.');
  expect(await jobsOf(someone)).toBe(2);
  await someone.submit({ name: 'c.wav', bytes: wav(30) });
});

it('when nothing is left, nothing is stored: the upload is refused before it begins', async () => {
  const someone = await newTestCustomer();
  await someone.submit({ name: 'a.wav', bytes: wav(60) });
  await someone.submit({ name: 'b.wav', bytes: wav(60) });
  const [{ rows: before }] = await database.query('SELECT count(*)::int AS rows FROM jobs');
  await used(someone);
  const [{ rows: after }] = await database.query('SELECT count(*)::int AS rows FROM jobs');
  expect(after).toBe(before);
});

it('what a live key does is not counted', async () => {
  const someone = await newCustomer(platform, { creditAud: '5' });
  for (let count = 0; count < 3; count++) await someone.submit({ name: 'a.wav', bytes: wav(60) });
  const [{ counted }] = await database.query(
    'SELECT count(test_seconds)::int AS counted FROM jobs WHERE account_id = $1',
    [someone.accountId],
  );
  expect(counted).toBe(0);
});
