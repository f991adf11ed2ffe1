import { mkdirSync, rmSync } from 'node:fs';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from '../client';
import { wav } from '../recordings';

// JetStream delivers, Postgres knows. So every message may be lost with the disks of the whole NATS cluster, and what was
// accepted completes none the less, without a restart of any service and with nobody doing anything.
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform({
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: '0.1',
      WORK_LEASE_SECONDS: '3',
      QUEUE_LEASE_SECONDS: '3',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 240_000);

afterAll(() => platform?.stop());

it('jobs that wait and jobs under way complete after NATS came back with an empty store', async () => {
  const underWay = await customer.submit({ name: 'under way.wav', bytes: wav(240, 440) });
  await customer.until(underWay, (job) => job.status === 'processing', 120);
  const ids = [underWay];
  for (const name of ['second', 'third', 'fourth']) {
    ids.push(await customer.submit({ name: `${name}.wav`, bytes: wav(60, 440) }));
  }
  const before = platform.pids();

  await platform.nats.halt('SIGKILL');
  rmSync(platform.nats.storeFolder, { recursive: true });
  mkdirSync(platform.nats.storeFolder, { mode: 0o700 });
  await platform.nats.resume();

  for (const id of ids) {
    const job = await customer.finished(id, 120);
    expect(job).toMatchObject({ status: 'completed', cost_aud: id === underWay ? 0.08 : 0.02 });
  }
  expect(platform.pids()).toEqual(before);
}, 300_000);

it('each was charged once, and new work is taken', async () => {
  await customer.finished(await customer.submit({ name: 'afterwards.wav', bytes: wav(60, 440) }), 120);
  expect((await customer.get('/api/v1/credit')).body).toMatchObject({ total_used_aud: '0.16' });
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
}, 150_000);
