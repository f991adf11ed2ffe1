import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import { keepAnnouncement } from '../engines/engines';
import { placeIn, secondsUntilDone } from '../lifecycle/outlook';
import type { JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { CurrentQueue, queueQuestion, readQueue } from './queue';

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
beforeEach(() => database.source.query('TRUNCATE jobs, workers CASCADE'));

const MOMENT = Date.UTC(2026, 10, 21, 3, 0, 0);

interface Item {
  job: JobRecord;
  stage?: 'whole' | 'prepare' | 'recognize' | 'assemble' | 'rediarize';
  state?: 'queued' | 'running' | 'done';
  createdAtSeconds?: number;
  fraction?: number;
  index?: number;
  chunkSeconds?: number;
  /** of a piece that was done a minute ago */
  tookSeconds?: number;
}

async function work({ job, stage = 'whole', state = 'queued', ...more }: Item): Promise<void> {
  const { createdAtSeconds = 0, fraction = 0, index = 0, chunkSeconds = 0, tookSeconds = 1 } = more;
  const chunk = { index, start_seconds: 100, end_seconds: 100 + chunkSeconds, audio_key: 'c', speech: [] };
  await database.source.query(
    `INSERT INTO work_items (id, job_id, stage, chunk_index, chunk, state, worker, fraction, created_at, lease_expires_at,
                             started_at, finished_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '1 minute',
             CASE WHEN $6 = 'done' THEN now() - interval '1 minute' - make_interval(secs => $10) END,
             CASE WHEN $6 = 'done' THEN now() - interval '1 minute' END)`,
    [
      ...[uuidv7(), job.id, stage, index, stage === 'recognize' ? JSON.stringify(chunk) : null, state],
      ...[state === 'queued' ? null : 'a worker', fraction],
      ...[new Date(MOMENT + createdAtSeconds * 1_000), tookSeconds],
    ],
  );
}

const announced = (worker: string, slots: number) =>
  keepAnnouncement(database.source, {
    ...{ worker, slots, engine: 'an engine', version: '1', model: null, languages: ['en'] },
    detects_language: false,
  });
const placeOf = async (job: JobRecord, createdAtSeconds = 0) =>
  placeIn(await readQueue(database.source), {
    ...{ id: job.id, accountId: job.account_id, createdAtMs: MOMENT + createdAtSeconds * 1_000 },
  });

it('with nothing to do and nobody there, nothing is known', async () => {
  expect(await readQueue(database.source)).toEqual({
    ...{ marks: [], waiting: 0, seconds: 0, slots: 0, speed: null },
  });
});

it('a job that waits has those before it that wait, and the audio of all before it', async () => {
  const running = await database.insertJob({ state: 'processing', held_seconds: 100 });
  await work({ job: running, state: 'running', fraction: 0.25, createdAtSeconds: 1 });
  const first = await database.insertJob({ state: 'pending', held_seconds: 60 });
  await work({ job: first, createdAtSeconds: 2 });
  const test = await database.insertJob({ state: 'pending', mode: 'test', held_seconds: 3_600 });
  await work({ job: test, createdAtSeconds: 3 });
  const last = await database.insertJob({ state: 'pending', held_seconds: 10 });
  await work({ job: last, createdAtSeconds: 4 });
  expect(await placeOf(first)).toMatchObject({ waitingBefore: 0, secondsBefore: 75 });
  expect(await placeOf(test)).toMatchObject({ waitingBefore: 1, secondsBefore: 135 });
  expect(await placeOf(last)).toMatchObject({ waitingBefore: 2, secondsBefore: 195 });
  // One that came after the queue was read is behind all of them.
  const newest = { ...last, id: uuidv7() };
  expect(await placeOf(newest, 5)).toMatchObject({ waitingBefore: 3, secondsBefore: 205 });
});

it('of a long recording the chunks that are not recognized count, and what is not cut yet', async () => {
  const long = await database.insertJob({ state: 'processing', held_seconds: 1_000 });
  await work({ job: long, stage: 'prepare', state: 'running', fraction: 0.6, createdAtSeconds: 1 });
  await work({ job: long, stage: 'recognize', state: 'done', index: 0, chunkSeconds: 200 });
  await work({ job: long, stage: 'recognize', index: 1, chunkSeconds: 200, createdAtSeconds: 2 });
  await work({
    ...{ job: long, stage: 'recognize', state: 'running', index: 2, chunkSeconds: 200, fraction: 0.5 },
    createdAtSeconds: 2,
  });
  const next = await database.insertJob({ state: 'pending', held_seconds: 10 });
  await work({ job: next, createdAtSeconds: 3 });
  const { secondsBefore, waitingBefore } = await placeOf(next);
  expect(secondsBefore).toBeCloseTo(400 + 200 + 100, 3);
  // The long one is in a worker's hands: it is before, but it does not wait.
  expect(waitingBefore).toBe(0);
});

it('among work that waits for turns, a place is that of the turn: one file does not stand behind 500 of another', async () => {
  const [many, one] = [uuidv7(), uuidv7()];
  const waiting = async (account_id: string, createdAtSeconds: number) => {
    const job = await database.insertJob({ state: 'pending', account_id, held_seconds: 60 });
    await work({ job, createdAtSeconds });
    return job;
  };
  const jobs = [];
  for (let n = 0; n < 500; n++) jobs.push(await waiting(many, n));
  const file = await waiting(one, 1_000);
  const second = await waiting(one, 1_001);
  // The first two of many are with the workers, the rest waits.
  await database.source.query(
    `UPDATE work_items w SET account_id = j.account_id, audio_seconds = 60, release_after = now()
       FROM jobs j WHERE j.id = w.job_id AND NOT j.id = ANY($1)`,
    [jobs.slice(0, 2).map(({ id }) => id)],
  );
  expect(await placeOf(file, 1_000)).toMatchObject({ waitingBefore: 3, secondsBefore: 180 });
  expect(await placeOf(second, 1_001)).toMatchObject({ waitingBefore: 5, secondsBefore: 300 });
  expect(await placeOf(jobs[499]!, 499)).toMatchObject({ waitingBefore: 501 });
});

it('telling the speakers of a completed job apart again is not in the way of anybody', async () => {
  const done = await database.insertJob({ state: 'completed', duration_seconds: 500 });
  await work({ job: done, stage: 'rediarize', createdAtSeconds: 1 });
  const next = await database.insertJob({ state: 'pending' });
  await work({ job: next, createdAtSeconds: 2 });
  expect(await placeOf(next)).toMatchObject({ waitingBefore: 0, secondsBefore: 0 });
});

it('the speed is audio by time of a slot, over what was recognized of late; slots are those of workers that are up', async () => {
  const short = await database.insertJob({ state: 'completed', duration_seconds: 60 });
  await work({ job: short, state: 'done', tookSeconds: 10 });
  // This one only cut a recording that turned out long, in no time: it recognized nothing.
  const long = await database.insertJob({ state: 'completed', duration_seconds: 6_000, chunks: 25 });
  await work({ job: long, state: 'done', tookSeconds: 1 });
  await work({ job: long, stage: 'recognize', state: 'done', index: 1, chunkSeconds: 240, tookSeconds: 90 });
  const old = await database.insertJob({ state: 'completed', duration_seconds: 5_000 });
  await work({ job: old, state: 'done', tookSeconds: 1 });
  await database.source.query(
    "UPDATE work_items SET finished_at = now() - interval '16 minutes' WHERE job_id = $1",
    [old.id],
  );
  await announced('one', 2);
  await announced('two', 1);
  await announced('gone', 8);
  await database.source.query(
    "UPDATE workers SET heard_at = now() - interval '2 minutes' WHERE worker = 'gone'",
  );
  const queue = await readQueue(database.source);
  expect(queue.speed).toBeCloseTo(300 / 100, 3);
  expect(queue.slots).toBe(3);
});

describe('the time until a job is done', () => {
  const even = { speed: 3, slots: 2, chunkSeconds: 240 };

  it('is that of what is ahead on all slots, then of its own pieces on as many as it has pieces for', () => {
    expect(secondsUntilDone({ ...even, aheadSeconds: 600, ownSeconds: 60 })).toBeCloseTo(100 + 20);
    expect(secondsUntilDone({ ...even, aheadSeconds: 0, ownSeconds: 2_400 })).toBeCloseTo(400);
    expect(secondsUntilDone({ ...even, slots: 100, aheadSeconds: 0, ownSeconds: 2_400 })).toBeCloseTo(80);
  });

  it('is never over', () => {
    expect(secondsUntilDone({ ...even, aheadSeconds: 0, ownSeconds: 0 })).toBe(1);
  });
});

it('a thousand that ask at once ask the database once', async () => {
  const asked = jest.spyOn(database.source, 'query');
  const queue = new CurrentQueue(database.source);
  await Promise.all(Array.from({ length: 1_000 }, () => queue.now()));
  await queue.now();
  expect(asked.mock.calls.filter(([sql]) => sql === queueQuestion())).toHaveLength(1);
  asked.mockRestore();
});

it('with 100 000 waiting among 100 000 finished jobs a place costs one cheap question, and is right to the hundred', async () => {
  await database.source.query(`
    INSERT INTO jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds, duration_seconds,
                      outcome, result_key, cost_micro_aud, completed_at)
    SELECT gen_random_uuid(), gen_random_uuid(), 'live', 'completed', 'a.wav', 'audio/' || n, 1, 600, 600,
           'completed', 'results/' || n, 20000, now() FROM generate_series(1, 100000) n`);
  await database.source.query(`
    INSERT INTO work_items (id, job_id, stage, state, worker, lease_expires_at, started_at, finished_at)
    SELECT gen_random_uuid(), id, 'whole', 'done', 'worker', now(), now() - interval '60 s', now() FROM jobs`);
  await database.source.query(`
    INSERT INTO jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds)
    SELECT md5(n::text)::uuid, gen_random_uuid(), 'live', 'pending', 'a.wav', 'audio/u' || n, 1, 30
      FROM generate_series(1, 100000) n`);
  await database.source.query(
    `INSERT INTO work_items (id, job_id, stage, lease_expires_at, created_at)
     SELECT gen_random_uuid(), md5(n::text)::uuid, 'whole', now() + interval '1 minute', $1::timestamptz + make_interval(secs => n)
       FROM generate_series(1, 100000) n`,
    [new Date(MOMENT)],
  );
  await database.source.query('ANALYZE jobs, work_items');
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now();
    await readQueue(database.source);
    times.push(performance.now() - startedAt);
  }
  const queue = await readQueue(database.source);
  expect(queue.marks.length).toBeLessThan(2_100);
  expect(queue).toMatchObject({ waiting: 100_000, seconds: 3_000_000, speed: 10 });
  const id = async (n: number) =>
    (await database.source.query<{ id: string }[]>('SELECT md5($1)::uuid AS id', [String(n)]))[0]!.id;
  for (const n of [1, 2, 999]) {
    const place = placeIn(queue, { id: await id(n), accountId: 'its', createdAtMs: MOMENT + n * 1_000 });
    expect(place).toMatchObject({ waitingBefore: n - 1, secondsBefore: (n - 1) * 30 });
  }
  for (const n of [5_000, 77_777, 100_000]) {
    const { waitingBefore, secondsBefore } = placeIn(queue, {
      id: await id(n),
      accountId: 'its',
      createdAtMs: MOMENT + n * 1_000,
    });
    expect(Math.abs(waitingBefore - (n - 1))).toBeLessThan(100);
    expect(Math.abs(secondsBefore - (n - 1) * 30)).toBeLessThan(3_000);
  }
  const startedAt = performance.now();
  for (let asking = 0; asking < 1_000; asking++)
    placeIn(queue, { id: uuidv7(), accountId: 'its', createdAtMs: MOMENT + asking * 97_000 });
  const placing = performance.now() - startedAt;
  const median = times.sort((one, other) => one - other)[2]!;
  console.log(
    `the queue of 100 000 waiting jobs was read in ${median.toFixed(0)} ms (median of 5); a place in it takes ${placing.toFixed(0)} µs`,
  );
  expect(median).toBeLessThan(5_000);
}, 180_000);
