import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

// The real worker with an engine that takes its time: a minute of audio takes six seconds.
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform({
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: '0.1',
      WORK_LEASE_SECONDS: '8',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(() => platform?.stop());

const killed = ['worker', 'jobs', 'billing', 'gateway'];

it.each(killed)(
  'after kill -9 of %s in the middle of a job the job completes by itself',
  async (service) => {
    const id = await customer.submit({ name: 'minute.wav', bytes: wav(60, 440) });
    await customer.until(id, (job) => job.status === 'processing');
    platform.kill(service, 'SIGKILL');
    const job = await customer.finished(id, 60);
    expect(job).toMatchObject({ status: 'completed', audio_duration_seconds: 60, cost_aud: 0.02 });
  },
  90_000,
);

it('each was charged once, and the books add up', async () => {
  expect((await customer.get('/api/v1/credit')).body).toMatchObject({
    balance_aud: (10 - killed.length * 0.02).toFixed(2),
    total_used_aud: (killed.length * 0.02).toFixed(2),
  });
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
});

it('a worker that is stopped in order gives its work back and costs no attempt', async () => {
  const id = await customer.submit({ name: 'minute.wav', bytes: wav(60, 440) });
  await customer.until(id, (job) => job.status === 'processing');
  await platform.restart('worker');
  await customer.finished(id, 60);
  const { work } = await platform.admin<{ work: { failures: number }[] }>('job', 'show', id);
  expect(work.map((item) => item.failures)).toEqual([0]);
}, 90_000);
