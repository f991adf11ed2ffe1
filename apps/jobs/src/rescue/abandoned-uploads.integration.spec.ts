import { accept } from '@currawong/contracts';
import type { EntityManager } from '@currawong/database';
import type { Notices, Requester } from '@currawong/messaging';
import type { ObjectStore } from '@currawong/object-store';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Discard } from '../intake/discard';
import { applyEvent, extendUpload, findJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { AbandonedUploads } from './abandoned-uploads';

let fresh: FreshDatabase;
let database: TestDatabase;
let uploads: AbandonedUploads;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  // What is undone beyond the row is not of interest here.
  const done = () => Promise.resolve();
  const store = { janitor: done, delete: done, deletePrefix: done } as unknown as ObjectStore;
  const requester = { ask: () => Promise.resolve(accept({})) } as unknown as Requester;
  const notices = { send: () => undefined } as unknown as Notices;
  uploads = new AbandonedUploads(database.source, new Discard(database.source, store, requester, notices));
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

/** @param forSeconds for how long it is still waited for; the past where it is negative */
const upload = (forSeconds: number) =>
  database.insertJob({
    ...{ account_id: randomUUID(), state: 'uploading' as const },
    upload_expires_at: new Date(Date.now() + forSeconds * 1_000),
  });

const state = async ({ id }: JobRecord) => (await findJob(database.source, id))!.state;

/** Somebody else changes the upload, and a sweep finds it as it was before the change is committed. */
async function sweepDuring(job: JobRecord, act: (manager: EntityManager) => Promise<unknown>): Promise<void> {
  let sweep: Promise<void> | undefined;
  await database.source.transaction(async (manager) => {
    expect(await act(manager)).toBeTruthy();
    await sleep(Math.max(0, job.upload_expires_at!.getTime() - Date.now()) + 50);
    sweep = uploads.sweepAbandoned();
    await database.untilSomebodyWaits();
  });
  await sweep;
}

it('an upload of which nothing was heard for too long is discarded', async () => {
  const job = await upload(-60);
  await uploads.sweepAbandoned();
  expect(await state(job)).toBe('discarded');
});

it('one that is accepted just before its time is over stays: its client is told so', async () => {
  const job = await upload(2);
  await sweepDuring(job, (manager) =>
    applyEvent(manager, job, {
      ...{ kind: 'submitted', heldSeconds: 3, sizeBytes: 100, language: 'en', numSpeakers: null },
      ...{ prompt: '', analysis: null, webhookUrl: null },
    }),
  );
  expect(await state(job)).toBe('pending');
});

it('one that is heard of at this moment stays', async () => {
  const job = await upload(-60);
  await sweepDuring(job, (manager) => extendUpload(manager, job.id, 45));
  expect(await state(job)).toBe('uploading');
});
