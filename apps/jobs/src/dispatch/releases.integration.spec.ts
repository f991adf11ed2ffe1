import { RecognizeWork, WholeWork, type Stage } from '@currawong/contracts';
import { Outbox, rows } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import type { JobsConfig } from '../config';
import { keepAnnouncement } from '../engines/engines';
import { lockJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { forgetTurnsPast, isWaiting, readReleased, releaseQuestions } from '../storage/waiting-work';
import { claimWork, dropWork, findWork, finishWork } from '../storage/work-records';
import { Releases } from './releases';
import { testDispatch } from './test-dispatch';
import { WorkMessages } from './work-messages';

const CONFIG = {
  QUEUE_LEASE_SECONDS: 60,
  RETRY_DELAY_SECONDS: 5,
  MAX_RECORDING_SECONDS: 36_000,
  DISPATCH_AHEAD_SECONDS: 30,
} as JobsConfig;

let fresh: FreshDatabase;
let database: TestDatabase;
/** Ids of the work whose messages were sent, in that order. */
const sent: string[] = [];
let outbox: Outbox;
let replicas: ReturnType<typeof testDispatch>[];

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  const publisher = {
    publishRaw: (message: { subject: string; payload: string }) => {
      expect([WholeWork.subject, RecognizeWork.subject, 'work.prepare', 'work.assemble']).toContain(
        message.subject,
      );
      sent.push((JSON.parse(message.payload) as { item_id: string }).item_id);
      return Promise.resolve();
    },
  };
  outbox = new Outbox(database.source, publisher as never, console);
  replicas = [1, 2].map(() => testDispatch(CONFIG, database.source, outbox));
});
afterAll(async () => {
  for (const { releases } of replicas ?? []) await releases.onModuleDestroy();
  await outbox?.settle();
  await database?.close();
  await fresh?.drop();
});
beforeEach(async () => {
  // Rounds of the test before are nudged by what it did.
  for (const { releases } of replicas) await releases.sweep();
  await database.source.query('TRUNCATE jobs, work_items, workers, dispatch_turns, account_limits CASCADE');
  await keepAnnouncement(database.source, {
    ...{ worker: 'w', engine: 'null', version: '1', model: null, languages: ['en'] },
    ...{ detects_language: false, slots: 2 },
  });
  sent.length = 0;
});

/** Accepts a job as a submission does. @returns the id of its first work */
async function submit(accountId: string, seconds = 60, stage: Stage = 'whole'): Promise<string> {
  const job = await database.insertJob({ state: 'processing', account_id: accountId, held_seconds: seconds });
  await outbox.transaction((manager, send) => replicas[0]!.dispatcher.start(manager, send, job, stage));
  const [item] = await rows<{ id: string }>(database.source, 'SELECT id FROM work_items WHERE job_id = $1', [
    job.id,
  ]);
  return item!.id;
}

/** Many jobs of an account that wait, as if they had been submitted one after the other. */
async function manyWaiting(accountId: string, count: number, seconds = 60): Promise<void> {
  await database.source.query(
    `WITH made AS (
       INSERT INTO jobs (id, account_id, mode, state, original_filename, source_key, size_bytes, held_seconds)
       SELECT gen_random_uuid(), $1, 'live', 'processing', 'a.wav', 'audio/x', 1, $3 FROM generate_series(1, $2) RETURNING id
     )
     INSERT INTO work_items (id, job_id, stage, lease_expires_at, account_id, audio_seconds, release_after, created_at)
     SELECT gen_random_uuid(), id, 'whole', now() + interval '15 minutes', $1, $3, now(), now() - interval '1 hour' FROM made`,
    [accountId, count, seconds],
  );
}

async function finish(id: string): Promise<void> {
  await database.source.transaction(async (manager) => {
    const [item] = await rows<{ job_id: string; attempt: number }>(
      manager,
      'SELECT job_id, attempt FROM work_items WHERE id = $1',
      [id],
    );
    const reference = { job_id: item!.job_id, item_id: id, attempt: item!.attempt };
    await claimWork(manager, reference, 'w', 60);
    expect(await finishWork(manager, reference)).toBeDefined();
  });
}

const waiting = async (): Promise<number> => {
  const [found] = await rows<{ count: number }>(
    database.source,
    `SELECT count(*)::int AS count FROM work_items WHERE ${isWaiting('speech')}`,
  );
  return found!.count;
};
const ownerOf = async (id: string): Promise<string> => {
  const [found] = await rows<{ account_id: string }>(
    database.source,
    'SELECT account_id FROM work_items WHERE id = $1',
    [id],
  );
  return found!.account_id;
};

it('work is sent with the commit that makes it while there is room, and waits beyond it', async () => {
  const account = uuidv7();
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await submit(account));
  // Two slots with one piece each, and one more that is within 30 s per slot of audio.
  expect(sent).toEqual(ids.slice(0, 2));
  expect(await waiting()).toBe(3);
});

it('short pieces lie ahead of the workers, up to so much audio', async () => {
  const account = uuidv7();
  for (let n = 0; n < 20; n++) await submit(account, 5);
  expect(sent).toHaveLength(12);
});

it('many submissions at once do not take the same room twice', async () => {
  const account = uuidv7();
  await Promise.all(Array.from({ length: 40 }, () => submit(account)));
  await replicas[0]!.releases.sweep();
  expect(sent).toHaveLength(2);
  await Promise.all(sent.slice(0, 2).map(finish));
  await Promise.all(replicas.map(({ releases }) => releases.sweep()));
  expect(sent).toHaveLength(4);
  expect(new Set(sent).size).toBe(4);
});

it('one file waits for one piece of an account with 5,000, and a round stays cheap', async () => {
  const [many, one] = [uuidv7(), uuidv7()];
  await manyWaiting(many, 5_000);
  await replicas[0]!.releases.sweep();
  expect(sent).toHaveLength(2);
  const file = await submit(one);
  await replicas[0]!.releases.sweep();
  expect(sent).not.toContain(file);
  await finish(sent[0]!);
  const startedAt = performance.now();
  await replicas[0]!.releases.sweep();
  const tookMs = performance.now() - startedAt;
  expect(sent.at(-1)).toBe(file);
  expect(tookMs).toBeLessThan(500);
  if (process.env['CURRAWONG_PRINT_FIGURES'])
    process.stdout.write(`a release with 5,000 waiting: ${tookMs.toFixed(1)} ms\n`);
});

it('accounts share by the weight that the operator gave them', async () => {
  const [heavy, light] = [uuidv7(), uuidv7()];
  await database.source.query('INSERT INTO account_limits (account_id, weight) VALUES ($1, 3)', [heavy]);
  await manyWaiting(light, 100);
  await manyWaiting(heavy, 100);
  await replicas[0]!.releases.sweep();
  for (let n = 0; n < 38; n++) {
    await finish(sent[n]!);
    await replicas[n % 2]!.releases.sweep();
  }
  const owners = await Promise.all(sent.map(ownerOf));
  expect(sent).toHaveLength(40);
  expect(Math.abs(owners.filter((owner) => owner === heavy).length - 30)).toBeLessThanOrEqual(1);
});

it('an account has no more pieces at the workers than its limit, and others pass it by', async () => {
  const [limited, other] = [uuidv7(), uuidv7()];
  await database.source.query('INSERT INTO account_limits (account_id, concurrency) VALUES ($1, 1)', [
    limited,
  ]);
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push(await submit(limited));
  const others = await submit(other);
  for (const { releases } of replicas) await releases.sweep();
  expect(sent).toEqual([ids[0], others]);
  await finish(ids[0]!);
  await finish(others);
  await replicas[0]!.releases.sweep();
  expect(sent).toEqual([ids[0], others, ids[1]]);
});

it('an attempt that failed waits for its delay without taking room', async () => {
  const [one, other] = [uuidv7(), uuidv7()];
  const ids = [await submit(one), await submit(one), await submit(other)];
  expect(sent).toEqual(ids.slice(0, 2));
  await database.source.transaction(async (manager) => {
    const [item] = await rows<{ id: string; attempt: number; job_id: string }>(
      manager,
      'SELECT * FROM work_items WHERE id = $1',
      [ids[0]],
    );
    const job = (await lockJob(manager, item!.job_id)) as JobRecord;
    await replicas[0]!.dispatcher.later(manager, job, item!, { failures: 1, lastError: 'because' });
  });
  await replicas[0]!.releases.sweep();
  expect(sent).toEqual(ids);
  await database.source.query('UPDATE work_items SET release_after = now() WHERE release_after > now()');
  await finish(ids[1]!);
  await finish(ids[2]!);
  await replicas[0]!.releases.sweep();
  expect(sent).toEqual([...ids, ids[0]]);
});

it('an attempt that failed comes before what its account had made later', async () => {
  const account = uuidv7();
  const first = await submit(account);
  await manyWaiting(account, 4);
  await database.source.query(
    "UPDATE work_items SET created_at = now() + interval '1 minute' WHERE account_id = $1 AND id <> $2",
    [account, first],
  );
  await replicas[0]!.releases.sweep();
  expect(sent).toHaveLength(2);
  await database.source.transaction(async (manager) => {
    const item = (await findWork(manager, first))!;
    const job = (await lockJob(manager, item.job_id)) as JobRecord;
    await replicas[0]!.dispatcher.later(manager, job, item, { failures: 1, lastError: 'because' });
  });
  await database.source.query('UPDATE work_items SET release_after = now() WHERE release_after > now()');
  await replicas[0]!.releases.sweep();
  expect(sent.at(-1)).toBe(first);
});

it('what a release claimed that does not know of waiting counts as released', async () => {
  const account = uuidv7();
  await manyWaiting(account, 1);
  await database.source.query("UPDATE work_items SET state = 'running', worker = 'w'");
  expect((await readReleased(database.source, 'speech')).items).toBe(1);
});

it('turns that are past are forgotten, but for what a round is changing at the moment', async () => {
  const [past, changing] = [uuidv7(), uuidv7()];
  for (const account of [past, changing])
    await database.source.query("INSERT INTO dispatch_turns VALUES ($1, 'speech', -1)", [account]);
  await database.source.transaction(async (manager) => {
    await manager.query('UPDATE dispatch_turns SET due = 1e9 WHERE account_id = $1', [changing]);
    // Would wait for this transaction to the end of its patience.
    await forgetTurnsPast(database.source);
  });
  const left = await rows<{ account_id: string }>(database.source, 'SELECT account_id FROM dispatch_turns');
  expect(left).toEqual([{ account_id: changing }]);
});

it('what is dropped while it waits is never sent', async () => {
  const account = uuidv7();
  await manyWaiting(account, 4);
  await replicas[0]!.releases.sweep();
  const [dropped] = await rows<{ id: string; job_id: string }>(
    database.source,
    `SELECT id, job_id FROM work_items WHERE ${isWaiting('speech')} ORDER BY id`,
  );
  // The cancellation is under way while room is made.
  const cancelled = Promise.withResolvers<void>();
  const committing = Promise.withResolvers<void>();
  const cancellation = database.source.transaction(async (manager) => {
    await lockJob(manager, dropped!.job_id);
    await dropWork(manager, dropped!.job_id);
    cancelled.resolve();
    await committing.promise;
  });
  await cancelled.promise;
  for (const id of [...sent]) await finish(id);
  await replicas[0]!.releases.sweep();
  committing.resolve();
  await cancellation;
  for (const id of sent.slice(2)) await finish(id);
  await replicas[0]!.releases.sweep();
  expect(sent).toHaveLength(3);
  expect(sent).not.toContain(dropped!.id);
});

it('a process that dies before its messages are sent leaves them to the outbox, and the room to nobody else', async () => {
  await manyWaiting(uuidv7(), 10);
  const dead = new Outbox(
    database.source,
    { publishRaw: () => Promise.reject(new Error('killed')) } as never,
    { warn: () => undefined },
  );
  const dying = new Releases(database.source, CONFIG, dead, new WorkMessages(CONFIG));
  expect(await dying.release('speech')).toBe(2);
  await replicas[0]!.releases.sweep();
  expect(sent).toHaveLength(0);
  await outbox.sweep(0);
  expect(sent).toHaveLength(2);
});

it('the end of a recording that is long recognized does not wait for others’', async () => {
  await manyWaiting(uuidv7(), 10);
  await replicas[0]!.releases.sweep();
  const job = await database.insertJob({
    ...{ state: 'processing', held_seconds: 3_600, duration_seconds: 3_600, chunks: 0 },
  });
  await outbox.transaction((manager, send) => replicas[0]!.dispatcher.start(manager, send, job, 'assemble'));
  expect(sent).toHaveLength(3);
});

it('what is asked before a release reads no more than what waits first, however much there was and is', async () => {
  await manyWaiting(uuidv7(), 5_000);
  await database.source.query(
    `INSERT INTO work_items (id, job_id, stage, chunk_index, chunk, state, lease_expires_at, finished_at)
     SELECT gen_random_uuid(), (SELECT id FROM jobs LIMIT 1), 'recognize', n, '{}', 'done', now(), now()
       FROM generate_series(1, 20000) n`,
  );
  await database.source.query('ANALYZE work_items');
  await database.source.query('ANALYZE jobs');
  for (const question of releaseQuestions('speech')) {
    const plan = await rows<{ 'QUERY PLAN': string }>(database.source, `EXPLAIN ANALYZE ${question}`);
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).not.toMatch(/Seq Scan on (work_items|jobs)/);
    const read = [...text.matchAll(/Scan (?:using \S+ )?on work_items.*actual time=\S+ rows=([\d.]+)/g)];
    expect(read.length).toBeGreaterThan(0);
    for (const [, count] of read) expect(Number(count)).toBeLessThan(100);
  }
});
