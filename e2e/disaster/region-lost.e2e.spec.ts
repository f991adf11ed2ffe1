import {
  freshBucket,
  type FreshBucket,
  objectStoreClient,
  startPlatform,
  type TestPlatform,
} from '@currawong/testing';
import { Client, newCustomer } from '../client';
import { wav } from '../recordings';
import { type ArchivedDatabase, startArchivedDatabase } from './archived-database';

// The first region has a platform, a database whose log is archived, and a bucket whose objects are copied elsewhere. All
// of it is lost at one moment. The second region has the base backup, the archive and the copies, and an empty NATS.
const env = {
  RECOGNIZER: 'null',
  WORK_LEASE_SECONDS: '3',
  QUEUE_LEASE_SECONDS: '5',
  RETRY_DELAY_SECONDS: '0.2',
  SWEEP_INTERVAL_SECONDS: '0.2',
};
const price = 0.02;
// Long enough to be under way still when everything is lost.
const longSeconds = 240;
const longPrice = 4 * price;
let database: ArchivedDatabase;
let bucket: FreshBucket;
let standbyBucket: FreshBucket;
let first: TestPlatform | undefined;
let second: TestPlatform | undefined;
let customer: Awaited<ReturnType<typeof newCustomer>>;
let ids: Record<'beforeBackup' | 'afterBackup' | 'waiting' | 'running' | 'notCopied' | 'notArchived', string>;
let secondsToRestore: number;

const submit = (name: string, seconds = 60) => customer.submit({ name, bytes: wav(seconds, 440) });
const completed = async (id: string, cost = price) => {
  expect(await customer.finished(id, 120)).toMatchObject({ status: 'completed', cost_aud: cost });
  return id;
};

beforeAll(async () => {
  [database, bucket, standbyBucket] = await Promise.all([
    startArchivedDatabase(),
    freshBucket(),
    freshBucket(),
  ]);
  first = await startPlatform({
    databaseUrl: database.url,
    s3: bucket,
    env: { ...env, NULL_ENGINE_SLEEP_FACTOR: '0.1' },
  });
  customer = await newCustomer(first, { creditAud: '10' });

  const beforeBackup = await completed(await submit('before the backup.wav'));
  await database.baseBackup();
  const afterBackup = await completed(await submit('after the backup.wav'));
  const running = await submit('running.wav', longSeconds);
  await customer.until(running, (job) => job.status === 'processing');
  const waiting = await submit('waiting.wav');
  const notCopied = await submit('not copied yet.wav');
  await database.archiveUpToHere();
  const notArchived = await submit('not archived yet.wav');
  ids = { beforeBackup, afterBackup, running, waiting, notCopied, notArchived };

  await database.lose();
  await first.stop();
  first = undefined;
  await replicate(bucket, standbyBucket, (key) => !key.includes(notCopied) && !key.startsWith('work/'));

  const began = performance.now();
  const databaseUrl = await database.restore();
  second = await startPlatform({ databaseUrl, s3: standbyBucket, env });
  secondsToRestore = (performance.now() - began) / 1000;
  customer = Object.assign(new Client(second.baseUrl, customer.apiKey), { accountId: customer.accountId });
}, 300_000);

afterAll(async () => {
  await first?.stop();
  await second?.stop();
  await database?.remove();
  await Promise.all([bucket?.drop(), standbyBucket?.drop()]);
  if (secondsToRestore) process.stderr.write(`restored and ready in ${secondsToRestore.toFixed(1)} s\n`);
});

it.each(['beforeBackup', 'afterBackup'] as const)('what was completed is readable (%s)', async (which) => {
  expect(await customer.job(ids[which])).toMatchObject({
    ...{ status: 'completed', audio_duration_seconds: 60, cost_aud: price },
    transcription: expect.any(String),
  });
});

it.each(['running', 'waiting'] as const)(
  'what was %s completes, with nobody doing anything',
  async (which) => {
    await completed(ids[which], which === 'running' ? longPrice : price);
  },
  150_000,
);

it('a job whose recording had not been copied yet fails with the reason, and is not charged', async () => {
  expect(await customer.finished(ids.notCopied, 120)).toMatchObject({
    status: 'failed',
    error_message: expect.stringMatching(/\w/),
  });
}, 150_000);

it('a job accepted after the last archived piece of the log is not known, and was not charged', async () => {
  expect((await customer.get(`/api/v1/jobs/${ids.notArchived}`)).status).toBe(404);
});

it('each completed job was charged once, nothing else, and the books add up', async () => {
  expect((await customer.get('/api/v1/credit')).body).toMatchObject({
    balance_aud: (10 - 3 * price - longPrice).toFixed(2),
    total_used_aud: (3 * price + longPrice).toFixed(2),
  });
  expect(await second!.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
});

it('new work is taken in the second region', async () => {
  await completed(await submit('afterwards.wav'));
}, 150_000);

/** What replication between buckets has brought over by the moment of the loss. */
async function replicate(
  from: FreshBucket,
  to: FreshBucket,
  hasArrived: (key: string) => boolean,
): Promise<void> {
  const [source, target] = [objectStoreClient(from), objectStoreClient(to)];
  for await (const { name: key } of source.listObjectsV2(from.bucket, '', true) as AsyncIterable<{
    name: string;
  }>) {
    if (!hasArrived(key)) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await source.getObject(from.bucket, key)) chunks.push(chunk as Buffer);
    await target.putObject(to.bucket, key, Buffer.concat(chunks));
  }
}
