import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';
import { ScriptedWorker } from './scripted-worker';

// No worker of ours: the test is the worker, and may be late, doubled, or silent.
jest.setTimeout(60_000);

let platform: TestPlatform;
let worker: ScriptedWorker;
let customer: Client & { accountId: string };

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway'],
    env: {
      WORK_LEASE_SECONDS: '5',
      QUEUE_LEASE_SECONDS: '6',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  worker = await ScriptedWorker.join(platform);
  customer = await newCustomer(platform, { creditAud: '5' });
}, 120_000);

afterAll(async () => {
  await worker?.leave();
  await platform?.stop();
});

afterEach(async () => {
  const report = await platform.admin<{ problems: string[]; open_holds: unknown[] }>('ledger', 'check');
  expect(report).toMatchObject({ problems: [], open_holds: [] });
});

const minute = { name: 'minute.wav', bytes: wav(60) };

async function usedMicroAud(): Promise<number> {
  const { body } = await customer.get('/api/v1/usage');
  return Math.round((5 - Number(body['balance_aud'])) * 1_000_000);
}

it('a stale worker’s late result is ignored, and only one charge is made', async () => {
  const before = await usedMicroAud();
  const id = await customer.submit(minute);
  const first = await worker.begin(id);
  // It says nothing until its lease is over; the work is sent again.
  const second = await worker.begin(id);
  expect(second.attempt).toBeGreaterThan(first.attempt);
  await worker.transcribed(first, 'the stale words', 60);
  await worker.afterwards();
  expect((await customer.job(id)).status).toBe('processing');
  await worker.transcribed(second, 'the right words', 60);
  const job = await customer.finished(id);
  expect(job.transcription).toBe('the right words');
  await worker.transcribed(first, 'the stale words', 60);
  await worker.afterwards();
  expect((await customer.job(id)).transcription).toBe('the right words');
  expect((await usedMicroAud()) - before).toBe(20_000);
});

it('a report that arrives three times charges once', async () => {
  const before = await usedMicroAud();
  const id = await customer.submit(minute);
  const work = await worker.begin(id);
  await worker.transcribed(work, 'once', 60);
  await worker.transcribed(work, 'once', 60);
  await worker.transcribed(work, 'once', 60);
  expect((await customer.finished(id)).transcription).toBe('once');
  await worker.afterwards();
  expect((await usedMicroAud()) - before).toBe(20_000);
});

it('an attempt belongs to one worker: a message delivered twice starts the work once', async () => {
  const id = await customer.submit(minute);
  const message = await worker.take(id);
  const claims = await Promise.all(['a', 'b', 'c', 'd'].map((name) => worker.claim(message, name)));
  const [mine, ...others] = claims.filter((claim) => claim !== null);
  expect(others).toEqual([]);
  await worker.transcribed(mine!, 'mine', 60);
  expect((await customer.finished(id)).status).toBe('completed');
  expect(await worker.claim(message, 'a')).toBeNull();
});

it('a recording that breaks three attempts fails with a reason, is not charged, and its credit comes back', async () => {
  const before = await usedMicroAud();
  const id = await customer.submit(minute);
  for (let attempt = 1; attempt <= 3; attempt++) {
    await worker.report(await worker.begin(id), { kind: 'broke', reason: 'the engine died' });
  }
  const job = await customer.finished(id);
  expect(job).toMatchObject({ status: 'failed', transcription: null, diarization: null });
  expect(job.error_message).toMatch(/several attempts/);
  expect(job.error_message).not.toMatch(/engine died/);
  expect(job.completed_at).not.toBeNull();
  const shown = await platform.admin<{ work: { failures: number; last_error: string }[] }>('job', 'show', id);
  expect(shown.work).toMatchObject([{ failures: 3, last_error: 'the engine died' }]);
  expect(await usedMicroAud()).toBe(before);
});

it('work whose message was lost is sent again without counting as a failure', async () => {
  const id = await customer.submit(minute);
  // Taken out of the queue and forgotten, as by a broker whose store was put back.
  const lost = await worker.take(id);
  const again = await worker.take(id);
  expect(again).toMatchObject({ item_id: lost.item_id, attempt: lost.attempt + 1 });
  const shown = await platform.admin<{ work: { failures: number; resends: number }[] }>('job', 'show', id);
  expect(shown.work).toMatchObject([{ failures: 0, resends: 1 }]);
  // While it waits, the older message is as good as the newer: a backlog keeps its order.
  const claimed = await worker.claim(lost);
  expect(claimed?.attempt).toBe(again.attempt);
  await worker.transcribed(claimed!, 'found', 60);
  expect((await customer.finished(id)).transcription).toBe('found');
});

it('a recording that is longer than its header said is charged for what it is', async () => {
  const before = await usedMicroAud();
  const id = await customer.submit(minute);
  await worker.transcribed(await worker.begin(id), 'long', 90.2);
  const job = await customer.finished(id);
  expect(job.audio_duration_seconds).toBe(90);
  expect((await usedMicroAud()) - before).toBe(30_000);
});

it('one that cannot be paid for in the end fails without a charge', async () => {
  const poor = await newCustomer(platform, { creditAud: '0.50' });
  const id = await poor.submit(minute);
  await worker.transcribed(await worker.begin(id), 'an hour', 3600);
  const job = await poor.finished(id);
  expect(job).toMatchObject({ status: 'failed', transcription: null });
  expect(job.error_message).toMatch(/AUD/);
  expect((await poor.get('/api/v1/credit')).body['balance_aud']).toBe('0.50');
});

it('of 50 submissions at once with credit for one, one is taken', async () => {
  // At AUD 0.50 the first hold takes the balance below the least that a submission needs.
  const poor = await newCustomer(platform, { creditAud: '0.50' });
  const answers = await Promise.all(Array.from({ length: 50 }, () => poor.transcribe(minute)));
  const statuses = answers.map((answer) => answer.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 402)).toHaveLength(49);
  expect(answers.find((answer) => answer.status === 402)!.body['detail']).toMatch(/AUD 0\.\d\d/);
  expect((await poor.get('/api/v1/credit')).body['balance_aud']).toBe('0.48');
  const { body } = await poor.get('/api/v1/jobs');
  expect(body['total']).toBe(1);
  const [{ id }] = body['jobs'] as [{ id: string }];
  await worker.transcribed(await worker.begin(id), 'the one', 60);
  await poor.finished(id);
});

it('a submission that is asked for again, its answer lost, is one job and one hold', async () => {
  const id = await customer.submit(minute);
  const again = await Promise.all([1, 2, 3].map(() => worker.submitAgain(id)));
  expect(again).toEqual([true, true, true]);
  const { work } = await platform.admin<{ work: unknown[] }>('job', 'show', id);
  expect(work).toHaveLength(1);
  await worker.transcribed(await worker.begin(id), 'one', 60);
  await customer.finished(id);
});

it('jobs being away for longer than a lease costs its workers no attempt', async () => {
  const id = await customer.submit(minute);
  const work = await worker.begin(id);
  await platform.halt('jobs');
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  await platform.resume('jobs');
  await worker.pulse(work);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await worker.transcribed(work, 'in spite of it', 60);
  expect((await customer.finished(id)).transcription).toBe('in spite of it');
  const { work: items } = await platform.admin<{ work: { failures: number }[] }>('job', 'show', id);
  expect(items).toMatchObject([{ failures: 0, attempt: 1 }]);
});
