import { row } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import type { JobsConfig } from '../config';
import { applyEvent, findJob, lockJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { TestAllowance } from './test-allowance';

let fresh: FreshDatabase;
let database: TestDatabase;
let allowance: TestAllowance;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  allowance = new TestAllowance({ TEST_SECONDS_PER_DAY: 1_800 } as JobsConfig, database.source);
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

/** As a submission does it. @returns the text of the refusal, or null */
function submit(job: JobRecord, seconds: number): Promise<string | null> {
  return database.source.transaction(async (manager) => {
    const open = (await lockJob(manager, job.id))!;
    const refusal = await allowance.take(manager, open, seconds);
    if (refusal) return refusal.detail;
    await applyEvent(manager, open, {
      kind: 'submitted',
      heldSeconds: seconds,
      sizeBytes: 1,
      language: 'en',
      numSpeakers: null,
      prompt: '',
      analysis: null,
      webhookUrl: null,
    });
    return null;
  });
}
const upload = (account_id: string) => database.insertJob({ account_id, mode: 'test', state: 'uploading' });

async function accepted(account_id: string, seconds: number): Promise<JobRecord> {
  const job = await upload(account_id);
  expect(await submit(job, seconds)).toBeNull();
  return (await findJob(database.source, job.id))!;
}

it('of 100 recordings of a minute that arrive at once, exactly 30 are taken', async () => {
  const account = uuidv7();
  const jobs = await Promise.all(Array.from({ length: 100 }, () => upload(account)));
  const answers = await Promise.all(jobs.map((job) => submit(job, 60)));
  expect(answers.filter((answer) => answer === null)).toHaveLength(30);
  const used = await row<{ seconds: number }>(
    database.source,
    `SELECT sum(test_seconds)::int AS seconds FROM jobs WHERE account_id = $1 AND state = 'pending'`,
    [account],
  );
  expect(used!.seconds).toBe(1_800);
});

it('a recording that needs more than is left is refused whole, with the numbers', async () => {
  const account = uuidv7();
  for (let count = 0; count < 29; count++) await accepted(account, 60);
  await accepted(account, 30);
  expect(await allowance.refusalBefore(account)).toBeNull();
  expect(await submit(await upload(account), 60)).toBe(
    'The test keys of this account have used 29 min 30 s of the 30 min of audio that they have a day: 30 s is left, and this recording needs 1 min. Use a live key, or wait until midnight in Sydney.',
  );
  await accepted(account, 30);
  expect(await allowance.refusalBefore(account)).toMatchObject({
    code: 'test_allowance_used',
    detail: expect.stringContaining(
      'have used 30 min of the 30 min of audio that they have a day: 0 s is left.',
    ),
  });
  // Another account has its own.
  await accepted(uuidv7(), 60);
});

it('a job that fails or is discarded gives back what it took', async () => {
  const account = uuidv7();
  const jobs: JobRecord[] = [];
  for (let count = 0; count < 30; count++) jobs.push(await accepted(account, 60));
  await applyEvent(database.source, jobs[0]!, { kind: 'discarded' });
  await accepted(account, 60);
  await applyEvent(database.source, jobs[1]!, { kind: 'gave_up', errorMessage: 'because' });
  await accepted(account, 60);
  expect(await submit(await upload(account), 1)).toContain('0 s is left');
});

it('what was used on another day does not count', async () => {
  const account = uuidv7();
  for (let count = 0; count < 30; count++) await accepted(account, 60);
  await database.source.query('UPDATE jobs SET test_day = test_day - 1 WHERE account_id = $1', [account]);
  await accepted(account, 60);
});

describe('a recording that was longer than its container said', () => {
  const settle = (job: JobRecord, heardSeconds: number) =>
    database.source.transaction(async (manager) =>
      allowance.correct(manager, (await lockJob(manager, job.id))!, heardSeconds),
    );

  it('takes what was heard, at most the first minute', async () => {
    const account = uuidv7();
    const job = await accepted(account, 1);
    expect(await settle(job, 3_600)).toBeNull();
    expect((await findJob(database.source, job.id))!.test_seconds).toBe(60);
  });

  it('is refused where the day has not so much left', async () => {
    const account = uuidv7();
    for (let count = 0; count < 29; count++) await accepted(account, 60);
    const job = await accepted(account, 1);
    await accepted(account, 59);
    expect(await settle(job, 60)).toMatchObject({ code: 'test_allowance_used' });
    expect((await findJob(database.source, job.id))!.test_seconds).toBe(1);
  });

  it('that was shorter gives the rest back', async () => {
    const account = uuidv7();
    const job = await accepted(account, 60);
    await settle(job, 20);
    expect((await findJob(database.source, job.id))!.test_seconds).toBe(20);
  });
});
