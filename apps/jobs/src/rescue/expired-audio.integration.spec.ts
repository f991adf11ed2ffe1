import { SetAudioRetention, type PayloadOf } from '@currawong/contracts';
import { createObjectStore, ObjectNotFound, type ObjectStore } from '@currawong/object-store';
import { freshBucket, freshDatabase, type FreshBucket, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import { SettingsController } from '../settings/settings.controller';
import { applyEvent, asJobView, findJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { ExpiredAudio } from './expired-audio';

const DAY_MS = 86_400_000;

let fresh: FreshDatabase;
let database: TestDatabase;
let bucket: FreshBucket;
let store: ObjectStore;
let audio: ExpiredAudio;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  bucket = await freshBucket();
  store = createObjectStore(bucket);
  audio = new ExpiredAudio(database.source, store);
});
afterAll(async () => {
  store?.close();
  await bucket?.drop();
  await database?.close();
  await fresh?.drop();
});

const choose = (payload: PayloadOf<typeof SetAudioRetention>) =>
  new SettingsController(database.source).setAudioRetention(payload);

/** A job that ended so many days ago, by way of the lifecycle, with its recording in the store. */
async function ended(
  account_id: string,
  daysAgo: number,
  outcome: 'completed' | 'failed' = 'completed',
): Promise<JobRecord> {
  const settling = await database.insertJob({
    account_id,
    state: 'settling',
    outcome,
    ...(outcome === 'failed' ? { result_key: null, error_message: 'because' } : {}),
  });
  await applyEvent(database.source, settling, { kind: 'settled', costMicroAud: 0 });
  await database.source.query(
    `UPDATE jobs SET completed_at = completed_at - make_interval(days => $2),
                     audio_expires_at = audio_expires_at - make_interval(days => $2) WHERE id = $1`,
    [settling.id, daysAgo],
  );
  await store.putBuffer(settling.source_key, Buffer.from('sound'), { contentType: 'audio/wav' });
  return settling;
}

async function isKept(job: JobRecord): Promise<boolean> {
  const stored = await store.stat(job.source_key).then(
    () => true,
    (error: unknown) => {
      expect(error).toBeInstanceOf(ObjectNotFound);
      return false;
    },
  );
  const record = (await findJob(database.source, job.id))!;
  expect(asJobView(record, 1).audio_available).toBe(stored);
  expect(record.audio_erased_at === null).toBe(stored);
  expect(record.result_key).toBe(job.result_key);
  return stored;
}

it('what was noted of the voices is erased with the recording', async () => {
  const old = await ended(uuidv7(), 31);
  const voices_key = `results/${old.id}/1-1.voices`;
  await database.source.query('UPDATE jobs SET voices_key = $2 WHERE id = $1', [old.id, voices_key]);
  await store.putBuffer(voices_key, Buffer.from('voices'), { contentType: 'application/octet-stream' });
  await audio.sweepDue();
  expect(await isKept(old)).toBe(false);
  await expect(store.stat(voices_key)).rejects.toBeInstanceOf(ObjectNotFound);
});

it('recordings are erased 30 days after their job ended, however it ended; what was said stays', async () => {
  const account = uuidv7();
  const young = await ended(account, 29);
  const old = await ended(account, 31);
  const failed = await ended(account, 31, 'failed');
  await audio.sweepDue();
  expect(await isKept(young)).toBe(true);
  expect(await isKept(old)).toBe(false);
  expect(await isKept(failed)).toBe(false);
});

it('a job that ended without a date, as one ends during an upgrade, gets it from its end and its account', async () => {
  const [mine, yours] = [uuidv7(), uuidv7()];
  await choose({ account_id: mine, days: 2 });
  const [gone, kept, others] = [await ended(mine, 3), await ended(mine, 1), await ended(yours, 29)];
  const old = await ended(yours, 31);
  const ids = [gone, kept, others, old].map(({ id }) => id);
  await database.source.query('UPDATE jobs SET audio_expires_at = NULL WHERE id = ANY($1)', [ids]);
  await audio.sweepDue();
  expect(await Promise.all([gone, kept, others, old].map(isKept))).toEqual([false, true, true, false]);
  const dated = (await findJob(database.source, others.id))!;
  expect(dated.audio_expires_at!.getTime() - dated.completed_at!.getTime()).toBe(30 * DAY_MS);
});

it('a retention that an account chooses holds for it alone, and for jobs that had ended before', async () => {
  const [mine, yours] = [uuidv7(), uuidv7()];
  const before = await ended(mine, 3);
  const others = await ended(yours, 3);
  await choose({ account_id: mine, days: 2 });
  const after = await ended(mine, 3);
  const young = await ended(mine, 1);
  await audio.sweepChanged();
  await audio.sweepDue();
  expect(await isKept(before)).toBe(false);
  expect(await isKept(after)).toBe(false);
  expect(await isKept(young)).toBe(true);
  expect(await isKept(others)).toBe(true);
});

it('a longer retention saves what was not erased yet', async () => {
  const account = uuidv7();
  await choose({ account_id: account, days: 1 });
  const job = await ended(account, 40);
  await choose({ account_id: account, days: 365 });
  await audio.sweepChanged();
  await audio.sweepDue();
  expect(await isKept(job)).toBe(true);
});

it('a longer retention saves what a sweep has found already, and not yet erased', async () => {
  const account = uuidv7();
  const jobs = [await ended(account, 40), await ended(account, 40)];
  let lengthened = false;
  const erasing = new ExpiredAudio(database.source, {
    deletePrefix: async (prefix: string) => {
      if (jobs.some(({ source_key }) => source_key === prefix) && !lengthened) {
        lengthened = true;
        await choose({ account_id: account, days: 365 });
        await audio.sweepChanged();
      }
      return store.deletePrefix(prefix);
    },
  } as ObjectStore);
  await erasing.sweepDue();
  expect((await Promise.all(jobs.map(isKept))).sort()).toEqual([false, true]);
});

it('a job that is being settled under the old retention gets the new one', async () => {
  const account = uuidv7();
  const settling = await database.insertJob({ account_id: account, state: 'settling' });
  const committing = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  const settlement = database.source.transaction(async (manager) => {
    await applyEvent(manager, settling, { kind: 'settled', costMicroAud: 0 });
    settled.resolve();
    await committing.promise;
  });
  await settled.promise;
  await choose({ account_id: account, days: 1 });
  const sweep = audio.sweepChanged();
  await untilSomebodyWaitsForALock();
  committing.resolve();
  await Promise.all([settlement, sweep]);
  const job = (await findJob(database.source, settling.id))!;
  expect(job.audio_expires_at!.getTime() - job.completed_at!.getTime()).toBe(DAY_MS);
});

it('more jobs than a page holds get the new date', async () => {
  const account = uuidv7();
  await database.source.query(
    `INSERT INTO jobs (id, account_id, mode, state, outcome, original_filename, source_key, size_bytes, held_seconds,
                       result_key, completed_at, audio_expires_at)
     SELECT gen_random_uuid(), $1, 'live', 'completed', 'completed', 'a.wav', 'audio/none', 1, 1, 'results/x', now(), now()
       + interval '30 days' FROM generate_series(1, 2500)`,
    [account],
  );
  await choose({ account_id: account, days: 7 });
  await audio.sweepChanged();
  const [{ dates, first }] = await database.source.query(
    `SELECT count(DISTINCT audio_expires_at - completed_at)::int AS dates,
            extract(day FROM min(audio_expires_at - completed_at))::int AS first FROM jobs WHERE account_id = $1`,
    [account],
  );
  expect({ dates, first }).toEqual({ dates: 1, first: 7 });
});

async function untilSomebodyWaitsForALock(): Promise<void> {
  for (;;) {
    const [{ waiting }] = await database.source.query(
      'SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = $1',
      ['Lock'],
    );
    if (waiting > 0) return;
  }
}

it('a choice that arrives after a newer one changes nothing', async () => {
  const account_id = uuidv7();
  for (const [days, revision] of [
    [10, 2],
    [20, 3],
    [10, 2],
    [11, 3],
  ] as const)
    expect((await choose({ account_id, days, revision })).ok).toBe(true);
  expect(
    await database.source.query('SELECT audio_retention_days FROM account_settings WHERE account_id = $1', [
      account_id,
    ]),
  ).toEqual([{ audio_retention_days: 20 }]);
});
