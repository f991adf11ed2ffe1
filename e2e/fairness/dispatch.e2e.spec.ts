import { mkdirSync, rmSync } from 'node:fs';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { Client as Postgres } from 'pg';
import { stretch } from '../../tools/faults/src/busy-machine';
import { newCustomer, type Client } from '../client';
import { wav } from '../recordings';

// The real worker with an engine that sleeps: a recording of ten seconds, which is one chunk, takes two.
const CHUNK = { audioSeconds: 10, seconds: 2 };
const SUBMITTED = 60;
const WAITING = 5_000;
/** What lies between the end of one piece and the start of the next: the report, the release, the message and the claim. */
const BETWEEN_PIECES_SECONDS = 0.5;

let platform: TestPlatform;
let database: Postgres;
let many: Client & { accountId: string };

beforeAll(async () => {
  platform = await startPlatform({
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: String(CHUNK.seconds / CHUNK.audioSeconds),
      CHUNK_SECONDS: String(CHUNK.audioSeconds),
      DISPATCH_AHEAD_SECONDS: '1',
      QUEUE_LEASE_SECONDS: '10',
      WORK_LEASE_SECONDS: '5',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
    envOf: { worker: { WORKER_SLOTS: '2' } },
  });
  database = new Postgres({ connectionString: platform.databaseUrl });
  // It is ended under us with the database, at the latest.
  database.on('error', () => undefined);
  await database.connect();
  many = await newCustomer(platform, { creditAud: '10' });
}, 240_000);

afterAll(async () => {
  await database?.end();
  await platform?.stop();
}, 120_000);

interface Piece {
  queued_at: string;
  started_at: string;
  finished_at: string;
}

async function pieces(jobId: string): Promise<Piece[]> {
  return (await platform.admin<{ work: Piece[] }>('job', 'show', jobId)).work;
}

const recording = (name: string) => ({ name, bytes: wav(CHUNK.audioSeconds, 440) });
const seconds = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1_000;

/** Copies of a submitted job that wait as it does: what the API would take an hour for. */
async function copiesOf(jobId: string, count: number): Promise<void> {
  await database.query(
    `WITH made AS (
       INSERT INTO jobs.jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds)
       SELECT gen_random_uuid(), account_id, 'test', 'pending', original_filename, source_key, size_bytes, held_seconds
         FROM jobs.jobs, generate_series(1, $2) WHERE id = $1 RETURNING id, account_id, held_seconds
     )
     INSERT INTO jobs.work_items (id, job_id, stage, lease_expires_at, account_id, audio_seconds, release_after)
     SELECT gen_random_uuid(), id, 'whole', now() + interval '15 minutes', account_id, held_seconds, now() FROM made`,
    [jobId, count],
  );
}

/** What whoever scales the workers goes by; a machine that is busy may take a moment to count it. */
async function backlogShown(): Promise<{ waitingItems: number; backlog: number }> {
  for (const end = Date.now() + 10_000; ;) {
    const text = await (await fetch(`${platform.metricsUrls['jobs']}/metrics`)).text();
    const of = (name: string) =>
      Number(new RegExp(`^${name}\\{[^}]*duty="speech"[^}]*\\} (\\d+)`, 'm').exec(text)?.[1]);
    const shown = {
      waitingItems: of('currawong_work_waiting_items'),
      backlog: of('currawong_backlog_audio_seconds'),
    };
    if (Number.isFinite(shown.backlog) || Date.now() > end) return shown;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

it(`with ${WAITING} files of one account waiting, another's single file starts after at most one chunk`, async () => {
  const ids: string[] = [];
  while (ids.length < SUBMITTED)
    ids.push(
      ...(await Promise.all(Array.from({ length: 10 }, (_, n) => many.submit(recording(`many-${n}.wav`))))),
    );
  await copiesOf(ids.at(-1)!, WAITING - SUBMITTED);
  const one = await newCustomer(platform, { creditAud: '1' });
  const id = await one.submit(recording('one.wav'));
  const waiting = await one.job(id);
  const { waitingItems, backlog } = await backlogShown();
  const job = await one.finished(id, 60);
  expect(job.status).toBe('completed');
  const [piece] = await pieces(id);
  const waited = seconds(piece!.queued_at, piece!.started_at);
  // How long one chunk took here, with its download and decoding: of those that were at work while it waited.
  const { rows } = await database.query<{ chunk: number }>(
    `SELECT max(extract(epoch FROM finished_at - started_at))::float8 AS chunk FROM jobs.work_items
      WHERE state = 'done' AND started_at <= $2 AND finished_at >= $1`,
    [piece!.queued_at, piece!.started_at],
  );
  const chunk = rows[0]!.chunk ?? 0;
  console.log(
    `with ${WAITING} files of another account waiting, one file waited ${waited.toFixed(2)} s for a worker; a chunk took ${chunk.toFixed(2)} s`,
  );
  expect(waited).toBeLessThan(chunk + BETWEEN_PIECES_SECONDS * stretch());
  // What it was told: not behind the thousands.
  expect(waiting['queue_position'] === null || Number(waiting['queue_position']) < 10).toBe(true);
  // The others still count for whoever scales the workers.
  expect(waitingItems).toBeGreaterThan(WAITING - SUBMITTED - 100);
  expect(backlog).toBeGreaterThan((WAITING - SUBMITTED) * CHUNK.audioSeconds);
}, 240_000);

it('the workers do not stand idle between pieces, though hardly anything lies ahead of them', async () => {
  const { rows } = await database.query<{ count: number; busy: number; span: number }>(
    `SELECT count(*)::int AS count,
            sum(extract(epoch FROM finished_at - started_at))::float8 AS busy,
            extract(epoch FROM max(finished_at) - min(started_at))::float8 AS span
       FROM jobs.work_items WHERE state = 'done'`,
  );
  const { count, busy, span } = rows[0]!;
  const between = (2 * span - busy) / count;
  console.log(
    `two slots were at work for ${((100 * busy) / (2 * span)).toFixed(1)} % of ${span.toFixed(0)} s, with ${between.toFixed(2)} s between pieces`,
  );
  expect(between).toBeLessThan(BETWEEN_PIECES_SECONDS * stretch());
});

it('an account has no more pieces at the workers than the operator allows', async () => {
  expect(await platform.admin('account', 'limits', many.accountId, '--concurrency', '1')).toMatchObject({
    ...{ concurrency: 1, weight: null },
  });
  await new Promise((resolve) => setTimeout(resolve, 3 * CHUNK.seconds * 1_000));
  const { rows: since } = await database.query<{ now: Date }>('SELECT now()');
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  const { rows } = await database.query<{ overlaps: number; done: number }>(
    `WITH done AS (SELECT id, started_at, finished_at FROM jobs.work_items
                    WHERE account_id = $1 AND state = 'done' AND started_at > $2)
     SELECT (SELECT count(*)::int FROM done a JOIN done b ON a.id < b.id
              WHERE a.started_at < b.finished_at AND b.started_at < a.finished_at) AS overlaps,
            (SELECT count(*)::int FROM done) AS done`,
    [many.accountId, since[0]!.now],
  );
  expect(rows[0]).toMatchObject({ overlaps: 0 });
  expect(rows[0]!.done).toBeGreaterThan(0);
}, 60_000);

it('what waits completes after NATS lost everything and jobs was killed while it released', async () => {
  // Of the thousands before, the copies are not needed any more.
  await database.query("DELETE FROM jobs.jobs WHERE mode = 'test'");
  await platform.admin('account', 'limits', many.accountId, '--concurrency', 'default');
  await platform.halt('worker');
  const ids: string[] = [];
  while (ids.length < 100)
    ids.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, (_, n) => many.submit({ name: `${n}.wav`, bytes: wav(2, 440) })),
      )),
    );
  const limits = await platform.admin<{ waiting: number }>('account', 'limits', many.accountId);
  expect(limits.waiting).toBeGreaterThanOrEqual(95);

  await platform.nats.halt('SIGKILL');
  rmSync(platform.nats.storeFolder, { recursive: true });
  mkdirSync(platform.nats.storeFolder, { mode: 0o700 });
  await platform.nats.resume();
  await platform.resume('worker');
  for (let time = 0; time < 3; time++) {
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    platform.kill('jobs', 'SIGKILL');
    await platform.waitReady('jobs');
  }
  for (const id of ids) expect((await many.finished(id, 300)).status).toBe('completed');
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [] });
}, 600_000);
