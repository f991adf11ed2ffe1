import { accept, refuse, type Analysis, type Result } from '@currawong/contracts';
import { Outbox } from '@currawong/database';
import type { Notices, Requester } from '@currawong/messaging';
import type { ObjectStore } from '@currawong/object-store';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobsConfig } from '../config';
import type { Dispatcher } from '../dispatch/dispatcher';
import { applyEvent, findJob, lockJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { Discard } from './discard';
import type { IdempotencyKeys } from './idempotency';
import { Submission } from './submission';
import type { TestAllowance } from './test-allowance';

const bytes = readFileSync(join(__dirname, '..', '..', '..', '..', 'samples', 'rare-name.ogg'));

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

/** Submits an upload of a short recording while `hold` answers for billing. `onProbe` comes before it is read. */
async function submit(
  job: JobRecord,
  hold: () => Promise<Result<object>> = () => Promise.resolve(accept({})),
  { onProbe, analysis }: { onProbe?: () => Promise<unknown>; analysis?: Analysis } = {},
) {
  const store = {
    getBuffer: async (_key: string, { start, end }: { start: number; end: number }) => {
      await onProbe?.();
      return bytes.subarray(start, end + 1);
    },
    removePrefix: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  } as unknown as ObjectStore;
  const requester = {
    ask: (contract: { subject: string }) =>
      contract.subject === 'billing.hold_for_job' ? hold() : Promise.resolve(accept({})),
  } as unknown as Requester;
  const outbox = new Outbox(database.source, { publishRaw: () => Promise.resolve() } as never, console);
  const submission = new Submission(
    database.source,
    { MAX_RECORDING_SECONDS: 60, CHUNK_SECONDS: 240 } as JobsConfig,
    store,
    requester,
    outbox,
    { start: () => Promise.resolve() } as unknown as Dispatcher,
    new Discard(database.source, store, requester, { send: () => undefined } as unknown as Notices),
    {} as TestAllowance,
    {} as IdempotencyKeys,
  );
  return submission.submit({
    job_id: job.id,
    size_bytes: bytes.length,
    language: 'en',
    num_speakers: null,
    prompt: '',
    ...(analysis ? { analysis } : {}),
  });
}

const upload = (columns: Partial<Omit<JobRecord, 'state'>> = {}) =>
  database.insertJob({ account_id: randomUUID(), mode: 'live', state: 'uploading', ...columns });
/** One that its client puts into the store itself: it may be submitted more than once. */
const storeUpload = () => upload({ declared_bytes: String(bytes.length), held_seconds: 0 });

it('an upload that was given up while its price was being held is answered as a failure of ours, not as a contradiction', async () => {
  const job = await upload();
  const answer = await submit(job, async () => {
    await database.source.transaction(async (manager) => {
      const open = (await lockJob(manager, job.id))!;
      await applyEvent(manager, open, { kind: 'discarded' });
    });
    return refuse('conflict', `The credit held for job ${job.id} has been released already.`);
  });
  expect(answer).toMatchObject({ ok: false, refusal: { code: 'submission_failed' } });
  expect(await findJob(database.source, job.id)).toMatchObject({ state: 'discarded' });
});

it('a hold that is refused for want of credit is answered so', async () => {
  const job = await upload();
  const answer = await submit(job, () => Promise.resolve(refuse('insufficient_credit', 'Top up.')));
  expect(answer).toMatchObject({ ok: false, refusal: { code: 'insufficient_credit', detail: 'Top up.' } });
});

describe('an upload that its client put into the store', () => {
  it('gets one receipt for all that are submitted at once, also for one that another overtakes while it reads', async () => {
    const job = await storeUpload();
    const accepted = accept({ job_id: job.id });
    const overtaken = submit(job, undefined, { onProbe: () => submit(job) });
    expect(await overtaken).toEqual(accepted);
    expect(await submit(job)).toEqual(accepted);
    expect(await findJob(database.source, job.id)).toMatchObject({ state: 'pending' });
  });

  it('keeps the price that it was first submitted at', async () => {
    const job = await storeUpload();
    const poor = () => Promise.resolve(refuse('insufficient_credit', 'Top up.'));
    await submit(job, poor);
    expect(await submit(job, undefined, { analysis: 'sentiment' })).toMatchObject({
      ...{ ok: false, refusal: { code: 'invalid_parameter', detail: expect.stringMatching(/^analysis: /) } },
    });
    expect(await submit(job)).toEqual(accept({ job_id: job.id }));
  });
});
