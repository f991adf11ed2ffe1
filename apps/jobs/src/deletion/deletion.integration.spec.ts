import { accept, objectKeys, type Deletion } from '@currawong/contracts';
import { Outbox, row } from '@currawong/database';
import type { Notices, Requester } from '@currawong/messaging';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import { freshBucket, freshDatabase, type FreshBucket, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import { AnnouncementsController } from '../announcements/announcements.controller';
import { TestAllowance } from '../intake/test-allowance';
import type { JobsConfig } from '../config';
import { Deletions } from '../rescue/deletions';
import { ExpiredJobs } from '../rescue/expired-jobs';
import { Settlement } from '../results/settlement';
import { SettingsController } from '../settings/settings.controller';
import { findDeletion, lookAgain } from '../storage/deletion-records';
import { findJob, findOwnedJob, listOwnedJobs, lockJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { Deleting } from './deleting';
import { DeletionController } from './deletion.controller';
import { Erasure } from './erasure';

const STORE_UPLOAD_SECONDS = 604_800;
const UPLOAD_LEASE_SECONDS = 45;

let fresh: FreshDatabase;
let database: TestDatabase;
let bucket: FreshBucket;
let store: ObjectStore;
let deletions: Deletions;
let expired: ExpiredJobs;
let controller: DeletionController;
/** The jobs whose hold was released, or that were told to stop. */
const released: string[] = [];
const stopped: string[] = [];

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  bucket = await freshBucket();
  store = createObjectStore(bucket);
  const { source } = database;
  const requester = {
    ask: (contract: { subject: string }, { job_id }: { job_id: string }) => {
      if (contract.subject === 'billing.release_for_job') released.push(job_id);
      return Promise.resolve(accept({ charged_micro_aud: 20_000 }));
    },
  } as unknown as Requester;
  const notices = {
    send: ({ subject }: { subject: string }, { job_id }: { job_id: string }) => {
      if (subject === 'jobs.stopped') stopped.push(job_id);
    },
  } as unknown as Notices;
  const outbox = new Outbox(source, { publishRaw: () => Promise.resolve() } as never, console);
  const allowance = new TestAllowance({ TEST_SECONDS_PER_DAY: 1_800 } as JobsConfig, source);
  const erasure = new Erasure(source, store, { STORE_UPLOAD_SECONDS });
  const deleting = new Deleting(
    source,
    notices,
    new Settlement(requester, outbox, allowance, notices),
    erasure,
    { UPLOAD_LEASE_SECONDS },
  );
  deletions = new Deletions(source, erasure);
  expired = new ExpiredJobs(source, deleting);
  controller = new DeletionController(source, deleting);
});
afterAll(async () => {
  store?.close();
  await bucket?.drop();
  await database?.close();
  await fresh?.drop();
});

const KEY = uuidv7();
const ownerOf = ({ account_id, mode }: JobRecord) => ({ account_id, mode });

async function remove(job: JobRecord): Promise<Deletion> {
  const wanted = { ...ownerOf(job), job_id: job.id, requested_by: 'key', key_id: KEY } as const;
  const answer = await controller.delete(wanted);
  if (!answer.ok) throw new Error(answer.refusal.code);
  return answer.value;
}

/** A job with something of every kind in the store. */
async function stored(columns: Parameters<TestDatabase['insertJob']>[0]): Promise<JobRecord> {
  const [id, account_id] = [columns.id ?? uuidv7(), columns.account_id ?? uuidv7()];
  const job = await database.insertJob({
    ...{ id, account_id, source_key: objectKeys.source(account_id, id) },
    ...{ original_filename: 'private.wav', prompt: 'private', speaker_names: { 'Speaker 1': 'Private' } },
    ...columns,
  });
  await put(job.source_key, 100);
  await put(objectKeys.result(id, id, 1), 20);
  await put(objectKeys.resultVoices(id, id, 1), 30);
  await put(objectKeys.chunkAudio(id, 0, 1), 40);
  return job;
}

const put = (key: string, bytes: number) =>
  store.putBuffer(key, Buffer.alloc(bytes), { contentType: 'application/octet-stream' });

async function left({ id, account_id }: JobRecord): Promise<number> {
  const prefixes = [
    ...[objectKeys.sourcePrefix(account_id, id), objectKeys.workPrefix(id), objectKeys.resultPrefix(id)],
  ];
  const found = await Promise.all(prefixes.map((prefix) => store.listVersions(prefix)));
  return found.flat().length;
}

async function erased(job: JobRecord): Promise<Deletion> {
  const until = Date.now() + 20_000;
  for (;;) {
    await deletions.sweep();
    const answer = await controller.get({ ...ownerOf(job), job_id: job.id });
    if (answer.ok && answer.value.erased_at !== null) return answer.value;
    if (Date.now() > until) throw new Error(`job ${job.id} is not erased`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a job that has ended', () => {
  it.each(['completed', 'failed'] as const)(
    'and is %s is there for nobody once it is deleted',
    async (state) => {
      const job = await stored({ state });
      const receipt = await remove(job);
      expect(receipt).toMatchObject({
        reason: 'client',
        requested_by: 'key',
        key_id: KEY,
        cancelled_at: null,
      });
      expect(await findOwnedJob(database.source, ownerOf(job), job.id)).toBeUndefined();
      const listed = await listOwnedJobs(database.source, ownerOf(job), { page: 1, pageSize: 10 });
      expect(listed).toEqual({ jobs: [], total: 0 });
      const { objects } = await erased(job);
      expect(objects.toSorted((one, two) => one.bytes - two.bytes)).toEqual([
        { kind: 'transcript', count: 1, bytes: 20 },
        { kind: 'voices', count: 1, bytes: 30 },
        { kind: 'working_file', count: 1, bytes: 40 },
        { kind: 'recording', count: 1, bytes: 100 },
      ]);
      expect(await left(job)).toBe(0);
      const kept = (await findJob(database.source, job.id))!;
      expect(JSON.stringify(kept)).not.toMatch(/private|because/i);
      expect(kept).toMatchObject({
        state,
        cost_micro_aud: job.cost_micro_aud,
        completed_at: job.completed_at,
      });
      expect(stopped).toContain(job.id);
    },
  );

  it('and is being charged ends as was decided, and is deleted all the same', async () => {
    const job = await stored({ state: 'settling' });
    await remove(job);
    expect(await findOwnedJob(database.source, ownerOf(job), job.id)).toBeUndefined();
    await erased(job);
    expect(await findJob(database.source, job.id)).toMatchObject({ state: 'settling', outcome: 'completed' });
    expect(released).not.toContain(job.id);
  });

  it('answers whoever asks again, or at the same time, with one receipt; and nobody else', async () => {
    const job = await stored({ state: 'completed' });
    const [one, two] = await Promise.all([remove(job), remove(job)]);
    expect(one.requested_at).toBe(two.requested_at);
    const done = await erased(job);
    expect(await remove(job)).toEqual(done);
    const foreign = { account_id: uuidv7(), mode: 'live', job_id: job.id } as const;
    expect(await controller.get(foreign)).toMatchObject({ refusal: { code: 'deletion_not_found' } });
    const wanted = { ...foreign, requested_by: 'session', key_id: null } as const;
    expect(await controller.delete(wanted)).toMatchObject({ refusal: { code: 'job_not_found' } });
    expect(await controller.delete({ ...wanted, ...ownerOf(job), mode: 'test' })).toMatchObject({
      refusal: { code: 'job_not_found' },
    });
  });
});

describe('a job that has not ended', () => {
  it.each(['uploading', 'pending', 'processing'] as const)('and is %s is cancelled', async (state) => {
    const job = await stored({ state });
    const receipt = await remove(job);
    expect(receipt.cancelled_at).not.toBeNull();
    expect(await findOwnedJob(database.source, ownerOf(job), job.id)).toMatchObject({
      ...{ state: 'failed', error_message: 'Cancelled by the client', cost_micro_aud: '0' },
    });
    expect(released).toContain(job.id);
    await erased(job);
    expect(await left(job)).toBe(0);
    // Its name stays to be read, until it is deleted wholly.
    expect((await findJob(database.source, job.id))!.original_filename).toBe('private.wav');
    // A client that missed the answer asks once more.
    expect((await remove(job)).requested_at).toBe(receipt.requested_at);
    expect((await findJob(database.source, job.id))!.deleted_at).toBeNull();
    await database.source.query(
      "UPDATE deletions SET requested_at = requested_at - interval '61 seconds' WHERE job_id = $1",
      [job.id],
    );
    const again = await remove(job);
    expect([again.cancelled_at, again.erased_at]).toEqual([receipt.cancelled_at, null]);
    await erased(job);
    expect((await findJob(database.source, job.id))!.original_filename).toBe('');
  });
});

describe('an upload to the store that is cancelled', () => {
  it('is awaited no longer than what is on its way, and looked at after its addresses have expired', async () => {
    const expires = new Date(Date.now() + STORE_UPLOAD_SECONDS * 1_000);
    const job = await stored({ state: 'uploading', declared_bytes: '1', upload_expires_at: expires });
    await remove(job);
    const lease = (await findJob(database.source, job.id))!.upload_expires_at!.getTime() - Date.now();
    expect(lease).toBeLessThanOrEqual(UPLOAD_LEASE_SECONDS * 1_000);
    await erased(job);
    await database.source.query('UPDATE jobs SET upload_expires_at = now() WHERE id = $1', [job.id]);
    let looked: { looks: number; look_at: Date | null } | undefined;
    for (let look = 0; look < 3; look++) {
      await database.source.query('UPDATE deletions SET look_at = now() WHERE job_id = $1', [job.id]);
      await deletions.sweep();
      looked = await findDeletion(database.source, job.id);
    }
    expect(looked!.looks).toBe(3);
    expect(looked!.look_at!.getTime()).toBeGreaterThanOrEqual(expires.getTime() - 5_000);
  });
});

describe('the address that is told of a job', () => {
  const webhook_url = 'https://example.com/secret';
  const addressOf = async (job: JobRecord) => (await findJob(database.source, job.id))!.webhook_url;

  it('goes with what is erased', async () => {
    const job = await stored({ state: 'completed', webhook_url, announce_at: null });
    await remove(job);
    await erased(job);
    expect(await addressOf(job)).toBeNull();
  });

  it('stays until it is known to be told, and goes then', async () => {
    const job = await stored({ state: 'completed', webhook_url, announce_at: new Date() });
    const kept = await stored({ state: 'completed', webhook_url, announce_at: new Date() });
    await remove(job);
    await erased(job);
    expect(await addressOf(job)).toBe(webhook_url);
    await new AnnouncementsController(database.source).confirm({ job_ids: [job.id, kept.id] });
    expect([await addressOf(job), await addressOf(kept)]).toEqual([null, webhook_url]);
  });
});

it('a receipt counts objects, not the notes of a bucket with versions that they were deleted', async () => {
  const job = await stored({ state: 'completed' });
  const list = store.listVersions.bind(store);
  const marker = { key: job.source_key, sizeBytes: 0, isDeleteMarker: true };
  let isFirst = true;
  const listing = jest.spyOn(store, 'listVersions').mockImplementation(async (prefix) => {
    const found = await list(prefix);
    if (!job.source_key.startsWith(prefix) || !isFirst) return found;
    isFirst = false;
    return [marker, ...found];
  });
  await remove(job);
  const { objects } = await erased(job);
  listing.mockRestore();
  expect(isFirst).toBe(false);
  expect(objects).toContainEqual({ kind: 'recording', count: 1, bytes: 100 });
});

describe('what is stored after the deletion', () => {
  it('is erased when whoever stored it is heard of, and the receipt says so', async () => {
    const job = await stored({ state: 'completed' });
    await remove(job);
    const first = await erased(job);
    await put(objectKeys.result(job.id, job.id, 2), 50);
    await lookAgain(database.source, job.id);
    await deletions.sweep();
    expect(await left(job)).toBe(0);
    const second = await erased(job);
    expect(second.objects).toContainEqual({ kind: 'transcript', count: 2, bytes: 70 });
    expect(second.erased_at! > first.erased_at!).toBe(true);
  });

  it('is looked for a minute, ten minutes and a day later, and then no more', async () => {
    const job = await stored({ state: 'completed' });
    await remove(job);
    await erased(job);
    const pauses: (number | null)[] = [];
    for (let look = 0; look < 4; look++) {
      const { pause } = (await row<{ pause: number | null }>(
        database.source,
        'SELECT round(extract(epoch FROM look_at - now()))::int AS pause FROM deletions WHERE job_id = $1',
        [job.id],
      ))!;
      pauses.push(pause);
      await put(objectKeys.result(job.id, job.id, 10 + look), 1);
      if (pause !== null) {
        await database.source.query(`UPDATE deletions SET look_at = now() WHERE job_id = $1`, [job.id]);
        await deletions.sweep();
        expect(await left(job)).toBe(0);
      }
    }
    expect(pauses.map((pause) => pause && Math.round(pause / 10))).toEqual([6, 60, 8_640, null]);
  });

  it('a process that dies in the middle is succeeded after its lease', async () => {
    const job = await stored({ state: 'completed' });
    await database.source.query('UPDATE jobs SET deleted_at = now() WHERE id = $1', [job.id]);
    await database.source.query(
      `INSERT INTO deletions (job_id, account_id, mode, reason, requested_by, objects, look_at)
       VALUES ($1, $2, 'live', 'retention', 'service', '{"recording": {"count": 1, "bytes": 100}}', now() + interval '1 second')`,
      [job.id, job.account_id],
    );
    await store.delete(job.source_key);
    await deletions.sweep();
    expect(await left(job)).toBe(3);
    const { objects } = await erased(job);
    expect(objects).toContainEqual({ kind: 'recording', count: 1, bytes: 100 });
    expect(objects).toHaveLength(4);
  });
});

describe('age', () => {
  const choose = (
    account_id: string,
    chosen: { transcript_days?: number | null; closed_at?: string | null },
  ) => new SettingsController(database.source).setAudioRetention({ account_id, days: 1, ...chosen });
  const ended = async (account_id: string, daysAgo: number): Promise<JobRecord> => {
    const job = await stored({ account_id, state: 'completed' });
    await database.source.query(
      'UPDATE jobs SET completed_at = now() - make_interval(days => $2) WHERE id = $1',
      [job.id, daysAgo],
    );
    return job;
  };
  const isThere = async (job: JobRecord) =>
    (await findOwnedJob(database.source, ownerOf(job), job.id)) !== undefined;

  it('erases the jobs of an account that keeps none for longer, and of no other', async () => {
    const [mine, yours] = [uuidv7(), uuidv7()];
    await choose(mine, { transcript_days: 7 });
    const [old, young, others] = [await ended(mine, 8), await ended(mine, 6), await ended(yours, 800)];
    const running = await stored({ account_id: mine, state: 'processing' });
    await expired.sweep();
    expect(await Promise.all([old, young, others, running].map(isThere))).toEqual([false, true, true, true]);
    expect(await erased(old)).toMatchObject({ reason: 'retention', requested_by: 'service', key_id: null });
    expect(await left(old)).toBe(0);
    // A gateway of the release before says nothing of it, and changes nothing of it.
    await choose(mine, {});
    await database.source.query("UPDATE jobs SET completed_at = now() - interval '8 days' WHERE id = $1", [
      young.id,
    ]);
    await choose(mine, { transcript_days: null });
    await expired.sweep();
    expect(await isThere(young)).toBe(true);
  });

  it('erases nothing that its account keeps by the time when it comes to it', async () => {
    const mine = uuidv7();
    await choose(mine, { transcript_days: 7 });
    const jobs = [await ended(mine, 8), await ended(mine, 8)];
    let sweep: Promise<void> | undefined;
    await database.source.transaction(async (manager) => {
      // Whichever it comes to first: it has found both by then.
      for (const { id } of jobs) await lockJob(manager, id);
      sweep = expired.sweep();
      await database.untilSomebodyWaits();
      await choose(mine, { transcript_days: null });
    });
    await sweep;
    expect(await Promise.all(jobs.map(isThere))).toEqual([true, true]);
  });

  it('erases what an account leaves that was closed 30 days ago, unless it was opened again', async () => {
    const [closed, reopened, lately] = [uuidv7(), uuidv7(), uuidv7()];
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await choose(closed, { closed_at: daysAgo(31) });
    await choose(reopened, { closed_at: daysAgo(31) });
    await choose(reopened, { closed_at: null });
    await choose(lately, { closed_at: daysAgo(29) });
    const jobs = [await ended(closed, 1), await ended(reopened, 1), await ended(lately, 1)];
    await expired.sweep();
    expect(await Promise.all(jobs.map(isThere))).toEqual([false, true, true]);
    expect(await erased(jobs[0]!)).toMatchObject({ reason: 'account_closed' });
  });
});

it('receipts are listed newest first, those of an owner alone', async () => {
  const account_id = uuidv7();
  const jobs: JobRecord[] = [];
  for (let index = 0; index < 3; index++) {
    jobs.push(await stored({ account_id, state: 'completed' }));
    await remove(jobs[index]!);
  }
  await remove(await stored({ state: 'completed' }));
  const page = await controller.list({ account_id, mode: 'live', page: 1, page_size: 2 });
  if (!page.ok) throw new Error(page.refusal.code);
  expect(page.value.total).toBe(3);
  expect(page.value.deletions.map(({ job_id }) => job_id)).toEqual([jobs[2]!.id, jobs[1]!.id]);
  expect(await controller.list({ account_id, mode: 'test', page: 1, page_size: 2 })).toEqual(
    accept({ deletions: [], total: 0 }),
  );
});
