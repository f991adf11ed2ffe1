import { accept } from '@currawong/contracts';
import type { ObjectStore } from '@currawong/object-store';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import type { JobsConfig } from '../config';
import { applyEvent, lockJob } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import type { Discard } from './discard';
import { StoreUploads } from './store-uploads';

let fresh: FreshDatabase;
let database: TestDatabase;
let uploads: StoreUploads;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  uploads = new StoreUploads(database.source, {} as JobsConfig, {} as ObjectStore, {} as Discard);
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

it.each([
  ['is accepted', 'submitted', true],
  ['is given up', 'discarded', false],
] as const)(
  'an upload that %s while it is looked for is found as what it became',
  async (_, kind, isFound) => {
    const job = await database.insertJob({ state: 'uploading', declared_bytes: '100', held_seconds: 0 });
    let finding: ReturnType<StoreUploads['find']> | undefined;
    await database.source.transaction(async (manager) => {
      const open = (await lockJob(manager, job.id))!;
      const changed = await applyEvent(
        manager,
        open,
        kind === 'discarded'
          ? { kind }
          : {
              ...{ kind, heldSeconds: 3, sizeBytes: 100, language: 'en', numSpeakers: null },
              ...{ prompt: '', analysis: null, webhookUrl: null },
            },
      );
      expect(changed).toBeTruthy();
      finding = uploads.find({ account_id: job.account_id, mode: 'live' }, job.id);
      await database.untilSomebodyWaits();
    });
    expect(await finding).toEqual(
      isFound
        ? accept({ source_key: job.source_key, size_bytes: 100, store_upload_id: null })
        : expect.objectContaining({
            ok: false,
            refusal: expect.objectContaining({ code: 'upload_not_found' }),
          }),
    );
  },
);
