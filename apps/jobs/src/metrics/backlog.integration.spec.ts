import type { Stage } from '@currawong/contracts';
import { Scraped } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { register } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { claimWork, insertWork, requeueWork } from '../storage/work-records';
import { TestDatabase } from '../storage/test-database';
import { backlogQuestions, readBacklog } from './backlog';
import { BacklogMetrics } from './backlog-metrics';

let fresh: FreshDatabase;
let database: TestDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});
beforeEach(() => database.source.query('TRUNCATE jobs CASCADE'));

const chunk = (index: number, seconds: number) => ({
  index,
  start_seconds: index * 100,
  end_seconds: index * 100 + seconds,
  audio_key: 'chunk',
  speech: [{ start: 0, end: 1 }],
});

const queue = (jobId: string, stage: Stage, seconds?: number) =>
  insertWork(database.source.manager, {
    id: uuidv7(),
    ...{ jobId, stage, leaseSeconds: 60 },
    ...(seconds === undefined ? {} : { chunk: chunk(0, seconds) }),
  });

async function shown(): Promise<Record<string, number>> {
  const names = ['currawong_work_audio_seconds', 'currawong_backlog_audio_seconds', 'currawong_jobs'];
  const metrics = await Promise.all(names.map((name) => register.getSingleMetric(name)!.get()));
  return Object.fromEntries(
    metrics.flatMap(({ name, values }) =>
      values.map(({ labels, value }) => [`${name} ${Object.values(labels).join(' ')}`, value]),
    ),
  );
}

it('with nothing to do, everything is there and 0', async () => {
  new BacklogMetrics(database.source);
  expect(await shown()).toEqual({
    'currawong_work_audio_seconds speech queued': 0,
    'currawong_work_audio_seconds speech running': 0,
    'currawong_work_audio_seconds audio queued': 0,
    'currawong_work_audio_seconds audio running': 0,
    'currawong_backlog_audio_seconds speech': 0,
    'currawong_backlog_audio_seconds audio': 0,
    'currawong_jobs uploading': 0,
    'currawong_jobs pending': 0,
    'currawong_jobs processing': 0,
    'currawong_jobs settling': 0,
  });
});

it('a chunk counts its own length, other work that of the recording, of a test key at most a minute', async () => {
  const short = await database.insertJob({ state: 'pending', held_seconds: 30 });
  const measured = await database.insertJob({
    state: 'processing',
    held_seconds: 500,
    duration_seconds: 400,
  });
  const test = await database.insertJob({ state: 'pending', mode: 'test', held_seconds: 3_600 });
  await database.insertJob({ state: 'completed', held_seconds: 10_000 });
  await queue(short.id, 'whole');
  await queue(test.id, 'whole');
  await queue(measured.id, 'assemble');
  const running = await queue(measured.id, 'recognize', 90.5);
  const reference = { job_id: measured.id, item_id: running!.id, attempt: 1 };
  await claimWork(database.source.manager, reference, 'worker', 60);
  new BacklogMetrics(database.source);
  expect(await shown()).toEqual({
    'currawong_work_audio_seconds speech queued': 90,
    'currawong_work_audio_seconds speech running': 90.5,
    'currawong_work_audio_seconds audio queued': 400,
    'currawong_work_audio_seconds audio running': 0,
    'currawong_backlog_audio_seconds speech': 180.5,
    'currawong_backlog_audio_seconds audio': 400,
    'currawong_jobs uploading': 0,
    'currawong_jobs pending': 2,
    'currawong_jobs processing': 1,
    'currawong_jobs settling': 0,
  });
  const { work } = await readBacklog(database.source);
  expect(work.find(({ stage, state }) => stage === 'whole' && state === 'queued')?.items).toBe(2);
});

it('telling the speakers of a completed job apart again is work of the audio duty', async () => {
  const done = await database.insertJob({ state: 'completed', duration_seconds: 300 });
  await queue(done.id, 'rediarize');
  const { work, oldestQueuedSeconds } = await readBacklog(database.source);
  expect(work.find(({ stage, state }) => stage === 'rediarize' && state === 'queued')).toMatchObject({
    ...{ items: 1, audioSeconds: 300 },
  });
  expect(oldestQueuedSeconds.rediarize).toBeGreaterThanOrEqual(0);
  new BacklogMetrics(database.source);
  expect(await shown()).toMatchObject({ 'currawong_backlog_audio_seconds audio': 300 });
});

it('the wait is that of the longest queued; sending a message again does not begin it anew, a retry does', async () => {
  const job = await database.insertJob({ state: 'pending' });
  const item = await queue(job.id, 'whole');
  const oldest = async () => (await readBacklog(database.source)).oldestQueuedSeconds.whole;
  const age = () =>
    database.source.query(`UPDATE work_items SET queued_at = now() - interval '1 hour' WHERE id = $1`, [
      item!.id,
    ]);
  await age();
  const again = await requeueWork(database.source.manager, item!, { resends: 1, leaseSeconds: 60 });
  expect(await oldest()).toBeGreaterThanOrEqual(3_600);
  await requeueWork(database.source.manager, again!, { failures: 1, leaseSeconds: 60 });
  expect(await oldest()).toBeLessThan(60);
});

it('a claim that is asked for twice by one worker is new only once', async () => {
  const job = await database.insertJob({ state: 'pending' });
  const item = await queue(job.id, 'whole');
  const claim = () =>
    claimWork(
      database.source.manager,
      { job_id: job.id, item_id: item!.id, attempt: 1 },
      'the same worker',
      60,
    );
  const [first, second] = [await claim(), await claim()];
  expect([first?.is_newly_claimed, second?.is_newly_claimed]).toEqual([true, false]);
  expect(second?.started_at).toEqual(first?.started_at);
});

it('a hundred scrapes at once ask the database once, and then not for a while', async () => {
  let asked = 0;
  const backlog = new Scraped(() => {
    asked++;
    return readBacklog(database.source);
  });
  await Promise.all(Array.from({ length: 100 }, () => backlog.answer()));
  expect(await backlog.answer()).toBeDefined();
  expect(asked).toBe(1);
});

it('with 5 000 unfinished among 100 000 finished jobs the questions are cheap, and read nothing that is finished', async () => {
  await database.source.query(`
    INSERT INTO jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds, duration_seconds,
                      outcome, result_key, cost_micro_aud, completed_at)
    SELECT gen_random_uuid(), gen_random_uuid(), 'live', 'completed', 'a.wav', 'audio/' || n, 1, 600, 600,
           'completed', 'results/' || n, 20000, now() FROM generate_series(1, 100000) n`);
  await database.source.query(`
    INSERT INTO work_items (id, job_id, stage, state, worker, lease_expires_at, finished_at)
    SELECT gen_random_uuid(), id, 'whole', 'done', 'worker', now(), now() FROM jobs`);
  await database.source.query(`
    INSERT INTO jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds)
    SELECT gen_random_uuid(), gen_random_uuid(), 'live', 'processing', 'a.wav', 'audio/u' || n, 1, 600
      FROM generate_series(1, 5000) n`);
  // As long as the speech of four minutes is in practice: the chunks are what makes a row of work large.
  const speech = Array.from({ length: 60 }, (_, index) => ({
    start: index * 4.013,
    end: index * 4.013 + 3.217,
  }));
  await database.source.query(
    `INSERT INTO work_items (id, job_id, stage, chunk_index, chunk, lease_expires_at)
     SELECT gen_random_uuid(), id, 'recognize', 1, $1, now() + interval '1 minute' FROM jobs WHERE state = 'processing'`,
    [JSON.stringify({ ...chunk(1, 240), speech })],
  );
  await database.source.query('ANALYZE jobs, work_items');
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const startedAt = performance.now();
    const { work } = await readBacklog(database.source);
    times.push(performance.now() - startedAt);
    expect(work.find(({ stage, state }) => stage === 'recognize' && state === 'queued')).toMatchObject({
      items: 5_000,
      audioSeconds: 5_000 * 240,
    });
  }
  const median = times.sort((one, other) => one - other)[3]!;
  for (const question of backlogQuestions()) {
    const plan = await database.source.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${question}`);
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(lines).toMatch(/jobs_unfinished|work_items_waiting_/);
    expect(lines).not.toMatch(/Seq Scan/);
  }
  console.log(`the backlog of 5 000 unfinished jobs was read in ${median.toFixed(1)} ms (median of 7)`);
  // They are asked every 5 s at the most.
  expect(median).toBeLessThan(500);
}, 120_000);
