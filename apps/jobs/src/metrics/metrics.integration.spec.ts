import type { WorkReference } from '@currawong/contracts';
import { Outbox } from '@currawong/database';
import {
  connectMessaging,
  ensureStreams,
  Notices,
  Publisher,
  Requester,
  type MessagingConnection,
} from '@currawong/messaging';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import {
  freshBucket,
  freshDatabase,
  freshNats,
  type FreshBucket,
  type FreshDatabase,
  type FreshNats,
} from '@currawong/testing';
import { register } from 'prom-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { JobsEnvironment } from '../config';
import { ClaimsController } from '../dispatch/claims.controller';
import type { Releases } from '../dispatch/releases';
import { testDispatch } from '../dispatch/test-dispatch';
import { Discard } from '../intake/discard';
import { TestAllowance } from '../intake/test-allowance';
import { AbandonedUploads } from '../rescue/abandoned-uploads';
import { LostWork } from '../rescue/lost-work';
import { Attempts } from '../results/attempts';
import { LongerThanHeld } from '../results/longer-than-held';
import { ResultsController } from '../results/results.controller';
import { Settlement } from '../results/settlement';
import { findJob } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { findWork, insertWork, type WorkRecord } from '../storage/work-records';

let fresh: FreshDatabase;
let nats: FreshNats;
let bucket: FreshBucket;
let store: ObjectStore;
let database: TestDatabase;
let connection: MessagingConnection;
let outbox: Outbox;
let lostWork: LostWork;
let releases: Releases;
let uploads: AbandonedUploads;
let claims: ClaimsController;
let results: ResultsController;

beforeAll(async () => {
  [fresh, nats, bucket] = await Promise.all([freshDatabase(), freshNats(), freshBucket()]);
  database = await TestDatabase.open(fresh.url);
  const { source } = database;
  store = createObjectStore(bucket);
  connection = await connectMessaging({ url: nats.url, name: 'jobs-metrics-test' });
  await ensureStreams(connection);
  const config = JobsEnvironment.parse({
    DATABASE_URL: fresh.url,
    NATS_URL: nats.url,
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
  });
  const requester = new Requester(connection);
  outbox = new Outbox(source, new Publisher(connection), { warn: () => undefined });
  const dispatch = testDispatch(config, source, outbox);
  const { dispatcher } = dispatch;
  releases = dispatch.releases;
  const attempts = new Attempts(dispatcher);
  const settlement = new Settlement(
    requester,
    outbox,
    new TestAllowance(config, source),
    new Notices(connection),
  );
  lostWork = new LostWork(source, outbox, dispatcher, attempts, { STRANDED_AFTER_SECONDS: 90 });
  uploads = new AbandonedUploads(source, new Discard(source, store, requester, new Notices(connection)));
  claims = new ClaimsController(source, config, outbox, dispatcher, new Notices(connection), releases);
  results = new ResultsController(
    ...([config, source, outbox, dispatcher, attempts] as const),
    new LongerThanHeld(source, requester),
    settlement,
    releases,
  );
}, 60_000);
afterAll(async () => {
  await outbox?.settle();
  await connection?.close();
  await database?.close();
  store?.close();
  await Promise.all([nats?.stop(), fresh?.drop(), bucket?.drop()]);
});

/** Values of a metric by name and labels, and by how much they grew. */
async function value(name: string, labels: Record<string, string> = {}): Promise<number> {
  const metric = register.getSingleMetric(name.replace(/_(count|sum)$/, ''));
  const { values } = await metric!.get();
  return values
    .filter((one) => ('metricName' in one && one.metricName ? one.metricName === name : true))
    .filter((one) => Object.entries(labels).every(([label, wanted]) => one.labels[label] === wanted))
    .reduce((sum, one) => sum + one.value, 0);
}

async function growth(
  metrics: [name: string, labels: Record<string, string>][],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const all = () => Promise.all(metrics.map(([name, labels]) => value(name, labels)));
  const before = await all();
  await work();
  const after = await all();
  return after.map((one, index) => one - before[index]!);
}

const rescue = (kind: string): [string, Record<string, string>] => ['currawong_work_rescues_total', { kind }];
const failed = (reason: string): [string, Record<string, string>] => [
  'currawong_attempts_failed_total',
  { stage: 'whole', reason },
];
const stage = (outcome: string): [string, Record<string, string>] => [
  'currawong_stage_seconds_count',
  { stage: 'whole', outcome },
];

/** A job of a test key with its one piece of work queued. */
async function queued(): Promise<WorkRecord> {
  const job = await database.insertJob({ state: 'pending', mode: 'test' });
  const item = await insertWork(database.source.manager, {
    id: uuidv7(),
    jobId: job.id,
    stage: 'whole',
    leaseSeconds: 60,
  });
  return item!;
}

const referenceOf = ({ job_id, id: item_id, attempt }: WorkRecord): WorkReference => ({
  job_id,
  item_id,
  attempt,
});

async function claimed(): Promise<WorkRecord> {
  const item = await queued();
  await claims.claim({ ...referenceOf(item), worker: 'worker' });
  return (await findWork(database.source, item.id))!;
}

const setWork = (item: WorkRecord, assignment: string) =>
  database.source.query(`UPDATE work_items SET ${assignment} WHERE id = $1`, [item.id]);
const EXPIRED = "lease_expires_at = now() - interval '1 second'";

it('a worker that is silent for its lease is one lost lease and one failed attempt', async () => {
  const item = await claimed();
  await setWork(item, EXPIRED);
  const grown = await growth([rescue('lost_lease'), failed('lost'), rescue('unclaimed')], async () => {
    await lostWork.sweepExpiredLeases();
    // A second replica, or round, finds nothing more.
    await lostWork.sweepExpiredLeases();
  });
  expect(grown).toEqual([1, 1, 0]);
});

it('work that nobody claims is sent again and counted; a retry that is due is sent and not counted', async () => {
  const forgotten = await queued();
  await setWork(forgotten, EXPIRED);
  expect(await growth([rescue('unclaimed')], () => lostWork.sweepUnclaimed())).toEqual([1]);
  expect((await findWork(database.source, forgotten.id))?.resends).toBe(1);
  const broken = await claimed();
  await results.workFinished({ ...referenceOf(broken), outcome: { kind: 'broke', reason: 'engine' } });
  // It waits for its delay and its turn: no message of it can be lost.
  await setWork(broken, EXPIRED);
  expect(await growth([rescue('unclaimed')], () => lostWork.sweepUnclaimed())).toEqual([0]);
  await setWork(broken, 'release_after = now()');
  await releases.sweep();
  expect(await findWork(database.source, broken.id)).toMatchObject({ release_after: null, resends: 0 });
  await setWork(broken, EXPIRED);
  expect(await growth([rescue('unclaimed')], () => lostWork.sweepUnclaimed())).toEqual([1]);
});

it('a job whose report was lost is stranded, and its attempt failed', async () => {
  const item = await claimed();
  await setWork(item, "state = 'done', finished_at = now() - interval '1 hour'");
  await database.source.query("UPDATE jobs SET changed_at = now() - interval '1 hour' WHERE id = $1", [
    item.job_id,
  ]);
  const grown = await growth([rescue('stranded'), failed('lost')], () => lostWork.sweepStranded());
  expect(grown).toEqual([1, 1]);
});

it('an upload whose gateway is silent is abandoned once', async () => {
  await database.insertJob({
    state: 'uploading',
    mode: 'test',
    upload_expires_at: new Date(Date.now() - 1_000),
  });
  const grown = await growth([['currawong_uploads_abandoned_total', {}]], async () => {
    await Promise.all([uploads.sweepAbandoned(), uploads.sweepAbandoned()]);
    await uploads.sweepAbandoned();
  });
  expect(grown).toEqual([1]);
});

it('the wait for a worker is observed once a claim, however often it is asked for', async () => {
  const item = await queued();
  await setWork(item, "queued_at = now() - interval '100 seconds'");
  const [count, sum] = await growth(
    [
      ['currawong_stage_wait_seconds_count', { stage: 'whole' }],
      ['currawong_stage_wait_seconds_sum', { stage: 'whole' }],
    ],
    async () => {
      await claims.claim({ ...referenceOf(item), worker: 'worker' });
      await claims.claim({ ...referenceOf(item), worker: 'worker' });
      await claims.claim({ ...referenceOf(item), worker: 'another' });
    },
  );
  expect(count).toBe(1);
  expect(sum).toBeGreaterThanOrEqual(100);
  expect(sum).toBeLessThan(110);
});

it('a piece of work that breaks is reported once, and so is one that is given back', async () => {
  const broken = await claimed();
  await setWork(broken, "started_at = now() - interval '100 seconds'");
  const broke = { ...referenceOf(broken), outcome: { kind: 'broke' as const, reason: 'the engine died' } };
  const [count, attempts, seconds] = await growth(
    [stage('broke'), failed('broke'), ['currawong_stage_seconds_sum', { stage: 'whole', outcome: 'broke' }]],
    async () => {
      await results.workFinished(broke);
      await results.workFinished(broke);
    },
  );
  expect([count, attempts]).toEqual([1, 1]);
  expect(seconds).toBeGreaterThan(99);
  const given = await claimed();
  const gaveBack = async () => {
    await claims.giveBack(referenceOf(given));
    await claims.giveBack(referenceOf(given));
  };
  expect(await growth([stage('given_back'), failed('broke'), failed('lost')], gaveBack)).toEqual([1, 0, 0]);
});

it('a recording that cannot be transcribed ends as failed, and is not among the times to completion', async () => {
  const item = await claimed();
  const detail = 'This is no sound.';
  const metrics: Parameters<typeof growth>[0] = [
    stage('refused'),
    ['currawong_jobs_ended_total', { outcome: 'failed', mode: 'test' }],
    ['currawong_job_seconds_count', {}],
    ['currawong_job_completion_ratio_count', {}],
  ];
  const grown = await growth(metrics, async () => {
    const outcome = { kind: 'refused' as const, code: 'undecodable_audio' as const, detail };
    await results.workFinished({ ...referenceOf(item), outcome });
    const isSettled = async () => (await findJob(database.source, item.job_id))?.state === 'failed';
    for (const deadline = Date.now() + 5_000; Date.now() < deadline && !(await isSettled());) await sleep(50);
    // The metric follows the commit that was seen.
    await sleep(50);
  });
  expect(grown).toEqual([1, 1, 0, 0]);
});
