import { accept, objectKeys } from '@currawong/contracts';
import type { Notices, Requester } from '@currawong/messaging';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import { freshBucket, freshDatabase, type FreshBucket, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import type { JobsConfig } from '../config';
import { ClaimsController } from '../dispatch/claims.controller';
import { AbandonedUploads } from '../rescue/abandoned-uploads';
import { findDeletion, noteDeletion } from '../storage/deletion-records';
import { applyEvent, findJob, lockJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { insertWork } from '../storage/work-records';
import { Discard } from './discard';
import { StoreUploads } from './store-uploads';

let fresh: FreshDatabase;
let database: TestDatabase;
let bucket: FreshBucket;
let store: ObjectStore;
let discarding: Discard;
let uploads: AbandonedUploads;
/** The jobs whose workers were told to stop. */
const stopped: string[] = [];
const notices = {
  send: ({ subject }: { subject: string }, { job_id }: { job_id: string }) => {
    if (subject === 'jobs.stopped') stopped.push(job_id);
  },
} as unknown as Notices;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  bucket = await freshBucket();
  store = createObjectStore(bucket);
  const requester = { ask: () => Promise.resolve(accept({})) } as unknown as Requester;
  discarding = new Discard(database.source, store, requester, notices);
  uploads = new AbandonedUploads(database.source, discarding);
});
afterAll(async () => {
  store?.close();
  await bucket?.drop();
  await database?.close();
  await fresh?.drop();
});

const put = (key: string) => store.putBuffer(key, Buffer.alloc(10), { contentType: 'text/plain' });
const workLeft = async ({ id }: JobRecord) => (await store.listVersions(objectKeys.workPrefix(id))).length;

async function discarded(state: 'uploading' | 'processing'): Promise<JobRecord> {
  const job = await database.insertJob({ state });
  expect(await discarding.discard(job.id)).toBe(true);
  await discarding.undo(job.id);
  return job;
}

async function age({ id }: JobRecord, seconds: number): Promise<void> {
  await database.source.query(
    `UPDATE jobs SET changed_at = changed_at - make_interval(secs => $2),
                     cleared_at = cleared_at - make_interval(secs => $2) WHERE id = $1`,
    [id, seconds],
  );
}

describe('a job that is discarded', () => {
  it('is told to its worker; one that was an upload had none', async () => {
    const [job, upload] = [await discarded('processing'), await discarded('uploading')];
    expect(stopped).toContain(job.id);
    expect(stopped).not.toContain(upload.id);
  });

  it('leaves nothing of what a worker stores minutes later', async () => {
    const job = await discarded('processing');
    await put(objectKeys.chunkAudio(job.id, 0, 1));
    await age(job, 590);
    await uploads.sweepErasable();
    expect(await workLeft(job)).toBe(1);
    await age(job, 20);
    await uploads.sweepErasable();
    expect(await workLeft(job)).toBe(0);
  });

  it('leaves nothing of what a worker stores that stood still for hours, and only then is its row gone', async () => {
    const job = await discarded('processing');
    await age(job, 700);
    await uploads.sweepErasable();
    expect(await findJob(database.source, job.id)).toMatchObject({ state: 'discarded' });
    await put(objectKeys.chunkAudio(job.id, 0, 2));
    await age(job, 86_400);
    await uploads.sweepErasable();
    expect(await workLeft(job)).toBe(0);
    expect(await findJob(database.source, job.id)).toBeUndefined();
  });
});

describe('a worker that says that it is at work', () => {
  const claims = () =>
    new ClaimsController(
      ...([database.source, { WORK_LEASE_SECONDS: 20 } as JobsConfig, {} as never, {} as never] as const),
      ...([notices, {} as never] as const),
    );

  it('is told to stop where the job was discarded or is gone, and not otherwise', async () => {
    const [job, at] = [await discarded('processing'), await database.insertJob({ state: 'processing' })];
    const item_id = uuidv7();
    await database.source.transaction((manager) =>
      insertWork(manager, { id: item_id, jobId: at.id, stage: 'whole', leaseSeconds: 60 }),
    );
    stopped.length = 0;
    const gone = uuidv7();
    for (const reference of [
      { job_id: job.id, item_id: uuidv7() },
      { job_id: gone, item_id: uuidv7() },
      { job_id: at.id, item_id },
    ])
      await claims().progress({ ...reference, attempt: 1, fraction: 0.5 });
    expect(stopped).toEqual([job.id, gone]);
  });
});

describe('uploads to the store', () => {
  const CONFIG = { OPEN_UPLOADS_PER_ACCOUNT: 2, STORE_UPLOAD_SECONDS: 3_600 } as JobsConfig;
  const open = (account_id: string, objects: Pick<ObjectStore, 'beginParts'> = store, job_id = uuidv7()) =>
    new StoreUploads(database.source, CONFIG, objects as ObjectStore, discarding).open({
      ...{ account_id, job_id, mode: 'live', key_id: null, original_filename: 'a.wav' },
      ...{ content_type: 'audio/wav', size_bytes: 100 },
    });
  /** As a deletion does it. */
  const cancel = (id: string) =>
    database.source.transaction(async (manager) => {
      const job = (await lockJob(manager, id))!;
      const cancelled = await applyEvent(manager, job, { kind: 'cancelled' });
      const cause = { reason: 'client', requested_by: 'session', key_id: null } as const;
      await noteDeletion(manager, cancelled!, cause, true);
      await manager.query('UPDATE deletions SET look_at = NULL WHERE job_id = $1', [id]);
    });

  it('count while their addresses are good, cancelled or not', async () => {
    const [account, ids] = [uuidv7(), [uuidv7(), uuidv7()]];
    for (const id of ids) {
      expect((await open(account, store, id)).ok).toBe(true);
      await cancel(id);
    }
    expect(await open(account)).toMatchObject({ ok: false, refusal: { code: 'too_many_uploads' } });
    expect((await open(uuidv7())).ok).toBe(true);
    await database.source.query(
      "UPDATE jobs SET created_at = created_at - interval '61 minutes' WHERE id = $1",
      [ids[0]],
    );
    expect((await open(account)).ok).toBe(true);
  });

  it('one that is cancelled while it is begun is looked at once more', async () => {
    const id = uuidv7();
    const beginParts: ObjectStore['beginParts'] = async (key, contentType) => {
      await cancel(id);
      return store.beginParts(key, contentType);
    };
    await expect(open(uuidv7(), { beginParts }, id)).rejects.toThrow('given up');
    expect((await findDeletion(database.source, id))!.look_at).not.toBeNull();
  });
});
