import { CaptureForJob, HoldForJob } from '@currawong/contracts';
import { createDataSource, type DataSource } from '@currawong/database';
import { connectMessaging, Requester, type MessagingConnection } from '@currawong/messaging';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

// Jobs and billing are made to contradict each other, each in its own tables or by its own requests.
jest.setTimeout(90_000);

let platform: TestPlatform;
let database: DataSource;
let connection: MessagingConnection;
let requester: Requester;
let customer: Client & { accountId: string };

beforeAll(async () => {
  platform = await startPlatform({
    env: { RECOGNIZER: 'null', SWEEP_INTERVAL_SECONDS: '0.2', RECONCILE_INTERVAL_SECONDS: '0.5' },
  });
  const { databaseUrl: url } = platform;
  database = await createDataSource({ url, schema: 'jobs', migrations: [], poolSize: 2 }).initialize();
  connection = await connectMessaging({ url: platform.nats.url, name: 'contradiction' });
  requester = new Requester(connection);
  customer = await newCustomer(platform, { creditAud: '1000' });
}, 120_000);

afterAll(async () => {
  await connection?.close();
  await database?.destroy();
  await platform?.stop();
});

/** What the jobs service shows at /metrics: how many of each kind, and when it last looked. */
async function shown(): Promise<{ differences: Record<string, number>; at: number }> {
  const text = await (await fetch(`${platform.metricsUrls['jobs']}/metrics`)).text();
  const found = text.matchAll(/^currawong_hold_differences\{.*?kind="(\w+)".*?\} (\d+)$/gm);
  const differences = Object.fromEntries([...found].map(([, kind, count]) => [kind, Number(count)]));
  const at = /^currawong_hold_comparison_timestamp_seconds\{.*\} ([\d.e+]+)$/m.exec(text)?.[1];
  return { differences, at: Number(at) };
}

const standing = async () =>
  Object.fromEntries(Object.entries((await shown()).differences).filter(([, count]) => count > 0));

async function until(expected: Record<string, number>, withinSeconds = 30): Promise<void> {
  const deadline = Date.now() + withinSeconds * 1000;
  while (Date.now() < deadline) {
    if (JSON.stringify(await standing()) === JSON.stringify(expected)) return;
    await sleep(100);
  }
  expect(await standing()).toEqual(expected);
}

/** So many rounds have gone by in which something would have been seen. */
async function rounds(count: number): Promise<void> {
  for (let round = 0, last = (await shown()).at; round < count; await sleep(50)) {
    const { at } = await shown();
    if (at > last) round++;
    last = at;
  }
}

async function hold(jobId: string, seconds = 60): Promise<string> {
  const held = await requester.ask(
    HoldForJob,
    { account_id: customer.accountId, job_id: jobId, seconds },
    { deadlineMs: 30_000 },
  );
  expect(held.ok).toBe(true);
  return jobId;
}

/** A row of a job that the service never saw. */
async function plantJob(columns: Record<string, unknown>): Promise<string> {
  const job = {
    id: uuidv7(),
    account_id: customer.accountId,
    mode: 'live',
    original_filename: 'a.wav',
    source_key: 'audio/none',
    size_bytes: 1,
    held_seconds: 60,
    ...columns,
  };
  const names = Object.keys(job);
  await database.query(
    `INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(job),
  );
  return job.id;
}
const failed = { state: 'failed', outcome: 'failed', error_message: 'because', completed_at: new Date() };
const completed = {
  state: 'completed',
  outcome: 'completed',
  result_key: 'results/none',
  completed_at: new Date(),
  cost_micro_aud: 20_000,
};

const GIVEN_BACK = `state = 'released', release_reason = 'test', released_at = now(),
  captured_free_seconds = NULL, captured_paid_seconds = NULL, charged_micro_aud = NULL, captured_at = NULL`;

async function forget(ids: string[]): Promise<void> {
  await database.query('DELETE FROM jobs WHERE id = ANY($1)', [ids]);
  await database.query(
    `UPDATE billing.holds SET ${GIVEN_BACK} WHERE job_id = ANY($1) AND state <> 'released'`,
    [ids],
  );
  await until({});
}

async function completedJob(): Promise<string> {
  const id = await customer.submit({ name: 'a.wav', bytes: wav(3) });
  await customer.finished(id);
  return id;
}

it('shows none while work is under way, and every ended job is found right', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => customer.submit({ name: 'a.wav', bytes: wav(3) })),
  );
  const seen: object[] = [];
  while ((await Promise.all(ids.map((id) => customer.job(id)))).some((job) => job.status !== 'completed'))
    seen.push(await standing());
  await rounds(3);
  expect([...seen, await standing()].filter((found) => Object.keys(found).length > 0)).toEqual([]);
  expect(Object.keys((await shown()).differences)).toHaveLength(8);
  const [{ unreconciled }] = await database.query(
    'SELECT count(*)::int AS unreconciled FROM jobs WHERE reconciled_at IS NULL',
  );
  expect(unreconciled).toBe(0);
});

describe('shows', () => {
  /** Undone after each test, so that the next one begins with none. */
  const planted: string[] = [];
  afterEach(async () => {
    await forget(planted);
    planted.length = 0;
  });
  const plant = (id: string) => (planted.push(id), id);

  it('a hold without a job', async () => {
    const id = plant(await hold(uuidv7()));
    await until({ hold_without_job: 1 });
    expect(platform.logs('jobs')).toContain(id);
  });

  it('work under way for which nothing is held', async () => {
    plant(await plantJob({ state: 'pending' }));
    await until({ job_without_hold: 1 });
  });

  it('a completed job that was never charged', async () => {
    plant(await plantJob(completed));
    await until({ completed_not_charged: 1 });
  });

  it('a failed job whose hold is open', async () => {
    const id = plant(await plantJob(failed));
    await hold(id);
    // It was right before: the hold came late.
    await until({ failed_held: 1 });
  });

  it('a failed job that was charged', async () => {
    const id = uuidv7();
    await hold(id);
    await requester.ask(CaptureForJob, { job_id: id, seconds: 60 });
    plant(await plantJob({ ...failed, id }));
    await until({ failed_charged: 1 });
  });

  it('a job of another account than its hold', async () => {
    const id = plant(await hold(uuidv7()));
    await plantJob({ id, account_id: uuidv7(), state: 'pending' });
    await until({ account_differs: 1 });
  });

  it('a test job with a hold', async () => {
    const id = plant(await hold(uuidv7()));
    await plantJob({ id, mode: 'test', state: 'pending' });
    await until({ hold_without_job: 1 });
  });

  it('all of more differences than a page holds, and which they are', async () => {
    const ids = Array.from({ length: 1_100 }, () => plant(uuidv7()));
    await Promise.all(ids.map((id) => hold(id, 1)));
    const [{ jobs }] = await database.query(
      `WITH planted AS (
         INSERT INTO jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds)
         SELECT id, $2, 'live', 'pending', 'a.wav', 'audio/none', 1, 1 FROM unnest($1::uuid[]) AS id RETURNING 1)
       SELECT count(*)::int AS jobs FROM planted`,
      [Array.from({ length: 1_200 }, () => plant(uuidv7())), customer.accountId],
    );
    expect(jobs).toBe(1_200);
    await until({ hold_without_job: 1_100, job_without_hold: 1_200 });
    expect(platform.logs('jobs')).toMatch(/hold_without_job.* and \d+ more/);
  });
});

describe('a job that had been found right', () => {
  it.each([
    [
      'cost',
      'UPDATE jobs SET cost_micro_aud = cost_micro_aud + 1 WHERE id = $1',
      'completed_charged_otherwise',
    ],
    ['hold', `UPDATE billing.holds SET ${GIVEN_BACK} WHERE job_id = $1`, 'completed_not_charged'],
  ])('is looked at again: a changed %s shows', async (_, contradiction, kind) => {
    const id = await completedJob();
    for (let right = false; !right; await sleep(50)) {
      const [job] = await database.query('SELECT reconciled_at FROM jobs WHERE id = $1', [id]);
      right = job.reconciled_at !== null;
    }
    await database.query(contradiction, [id]);
    await until({ [kind]: 1 });
    await forget([id]);
  });
});

it('does not look on when billing is away, and says since when', async () => {
  await platform.halt('billing');
  const { at } = await shown();
  await sleep(1_500);
  const later = await shown();
  expect(later.at).toBeLessThanOrEqual(at + 1);
  await platform.resume('billing');
  await platform.waitReady('billing');
  for (let now = later.at; now <= later.at; now = (await shown()).at) await sleep(100);
});
