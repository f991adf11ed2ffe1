import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

// Chunks of ten seconds, two workers, an engine that sleeps: six chunks are done in three rounds.
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'worker', 'worker-2', 'gateway'],
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: '0.1',
      CHUNK_SECONDS: '10',
      WORK_LEASE_SECONDS: '3',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(() => platform?.stop());

interface Shown {
  work: { stage: string; chunk_index: number; state: string; worker: string; failures: number }[];
}

it('is cut, recognized by all free workers, and put together', async () => {
  const id = await customer.submit({ name: 'long.wav', bytes: wav(58, 300) });
  const job = await customer.finished(id, 60);
  expect(job).toMatchObject({ status: 'completed', audio_duration_seconds: 58, transcription: '' });
  const { work } = await platform.admin<Shown>('job', 'show', id);
  expect(work.filter((item) => item.stage === 'recognize').length).toBeGreaterThanOrEqual(6);
  expect(work.every((item) => item.state === 'done')).toBe(true);
  expect(new Set(work.filter((item) => item.stage === 'recognize').map((item) => item.worker)).size).toBe(2);
}, 90_000);

it('loses one chunk’s attempt when a worker is killed, and completes', async () => {
  const id = await customer.submit({ name: 'long.wav', bytes: wav(58, 300) });
  await customer.until(id, (job) => job.progress > 0.3);
  platform.kill('worker-2', 'SIGKILL');
  expect(await customer.finished(id, 60)).toMatchObject({ status: 'completed', audio_duration_seconds: 58 });
  const { work } = await platform.admin<Shown>('job', 'show', id);
  expect(work.reduce((sum, item) => sum + item.failures, 0)).toBeLessThanOrEqual(1);
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
}, 90_000);
