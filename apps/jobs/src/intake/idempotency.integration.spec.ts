import { accept } from '@currawong/contracts';
import type { Notices, Requester } from '@currawong/messaging';
import type { ObjectStore } from '@currawong/object-store';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { JobsConfig } from '../config';
import { acceptKey, findKey, shareKey, sweepKeys } from '../storage/idempotency-records';
import { applyEvent, findJob, lockJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { Discard } from './discard';
import { IdempotencyKeys, ownedKey } from './idempotency';

jest.setTimeout(60_000);

let fresh: FreshDatabase;
let database: TestDatabase;
let discarding: Discard;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  // What becomes of objects and holds is no matter here.
  const store = {
    janitor: () => Promise.resolve(0),
    delete: () => Promise.resolve(),
    deletePrefix: () => Promise.resolve(0),
  } as unknown as ObjectStore;
  const requester = { ask: () => Promise.resolve(accept({})) } as unknown as Requester;
  const notices = { send: () => undefined } as unknown as Notices;
  discarding = new Discard(database.source, store, requester, notices);
});
afterAll(async () => {
  // Discards undo themselves beside what asked for them.
  await sleep(200);
  await database?.close();
  await fresh?.drop();
});

/** As many processes as are asked for: they share the database alone. */
const replica = () => new IdempotencyKeys(database.source, { UPLOAD_LEASE_SECONDS: 30 } as JobsConfig);
const request = (fingerprint = 'f') => ({ key: 'k', fingerprint });
const upload = (account_id: string) => database.insertJob({ account_id, state: 'uploading' });

/** As a submission does it. */
function acceptJob(job: JobRecord): Promise<boolean> {
  return database.source.transaction(async (manager) => {
    const open = await lockJob(manager, job.id);
    const pending =
      open &&
      (await applyEvent(manager, open, {
        ...{ kind: 'submitted', heldSeconds: 1, sizeBytes: 1, language: 'en', numSpeakers: null, prompt: '' },
        ...{ analysis: null, webhookUrl: null },
      }));
    return pending ? acceptKey(manager, ownedKey(job, request()), job.id) : false;
  });
}

it('of twenty at once in two processes one is to be submitted, and the others get it when it is accepted', async () => {
  const [account, one, other] = [uuidv7(), replica(), replica()];
  const uploads = await Promise.all(Array.from({ length: 20 }, () => upload(account)));
  const claims = uploads.map((job, n) => (n % 2 ? one : other).claim(job, request()));
  const first = await Promise.race(
    claims.map(async (claim, n) => ({ claim: await claim, job: uploads[n]! })),
  );
  expect(first.claim).toEqual({ kind: 'ours' });
  expect((await replica().claim(await upload(account), request('other'))).kind).toBe('other_request');
  await sleep(300);
  expect(await acceptJob(first.job)).toBe(true);
  const kinds = (await Promise.all(claims)).filter(({ kind }) => kind !== 'ours');
  expect(kinds).toEqual(Array(19).fill({ kind: 'accepted', jobId: first.job.id }));
});

it('those that wait in the process that submits are told as soon as it is over', async () => {
  const [account, keys] = [uuidv7(), replica()];
  const [first, second] = [await upload(account), await upload(account)];
  expect((await keys.claim(first, request())).kind).toBe('ours');
  let over = () => {};
  const submission = keys.whileClaimed(
    first,
    request(),
    () => new Promise<void>((resolve) => (over = resolve)),
  );
  const waiting = keys.claim(second, request());
  await sleep(2_000);
  await acceptJob(first);
  const endedAtMs = performance.now();
  over();
  expect(await waiting).toEqual({ kind: 'accepted', jobId: first.id });
  expect(performance.now() - endedAtMs).toBeLessThan(500);
  await submission;
});

it('when the one that was first is discarded, the next one takes its turn; so when it is gone without a discard', async () => {
  const [account, keys] = [uuidv7(), replica()];
  const [first, second, third] = [await upload(account), await upload(account), await upload(account)];
  await keys.claim(first, request());
  const waiting = keys.claim(second, request());
  await sleep(200);
  expect(await discarding.discard(first.id)).toBe(true);
  expect(await waiting).toEqual({ kind: 'ours' });
  await database.source.query("UPDATE jobs SET state = 'discarded' WHERE id = $1", [second.id]);
  expect(await keys.claim(third, request())).toEqual({ kind: 'ours' });
  expect(await acceptJob(third)).toBe(true);
});

it('a job that another request was told of is not discarded; one that nobody was told of is, with its key', async () => {
  const [account, keys] = [uuidv7(), replica()];
  const [first, second] = [await upload(account), await upload(account)];
  await keys.claim(first, request());
  await acceptJob(first);
  expect((await keys.claim(second, request())).kind).toBe('accepted');
  expect(await discarding.discard(first.id)).toBe(false);
  expect((await findJob(database.source, first.id))?.state).toBe('pending');
  // The one that was withdrawn is asked about again, its answer having been lost.
  await discarding.discard(second.id);
  expect(await keys.jobOf(second, request())).toBe(first.id);

  const alone = await upload(uuidv7());
  await keys.claim(alone, request());
  await acceptJob(alone);
  // Its own gateway asks again: nobody else was told.
  expect(await keys.claim(alone, request())).toEqual({ kind: 'ours' });
  expect(await discarding.discard(alone.id)).toBe(true);
  expect(await findKey(database.source, ownedKey(alone, request()))).toBeUndefined();
});

it('a discard and a second receipt at the same moment never both happen', async () => {
  for (let round = 0; round < 60; round++) {
    const first = await upload(uuidv7());
    const keys = replica();
    await keys.claim(first, request());
    await acceptJob(first);
    const asked = [
      () => discarding.discard(first.id),
      () => shareKey(database.source, ownedKey(first, request()), 'f'),
    ] as const;
    const [discarded, shared] =
      round % 2
        ? await Promise.all([asked[0](), asked[1]()])
        : (await Promise.all([asked[1](), asked[0]()])).reverse();
    expect(Boolean(discarded)).toBe(shared === undefined);
    expect((await findJob(database.source, first.id))?.state).toBe(discarded ? 'discarded' : 'pending');
  }
});

it('a key belongs to its account and mode, and is another’s after 24 hours; the sweep deletes what is over', async () => {
  const [account, keys] = [uuidv7(), replica()];
  const live = await upload(account);
  const test = await database.insertJob({ account_id: account, mode: 'test', state: 'uploading' });
  const stranger = await upload(uuidv7());
  for (const job of [live, test, stranger]) {
    expect(await keys.claim(job, request())).toEqual({ kind: 'ours' });
    expect(await acceptJob(job)).toBe(true);
  }
  const age = (job: JobRecord, interval: string) =>
    database.source.query(
      'UPDATE idempotency_keys SET accepted_at = now() - $2::interval, created_at = now() - $2::interval WHERE job_id = $1',
      [job.id, interval],
    );
  await age(live, '23 hours 59 minutes');
  await age(test, '24 hours 1 second');
  await sweepKeys(database.source);
  const later = await upload(account);
  expect(await keys.claim(later, request('other'))).toEqual({ kind: 'other_request' });
  expect(await keys.claim(later, request())).toEqual({ kind: 'accepted', jobId: live.id });
  expect(await findKey(database.source, ownedKey(test, request()))).toBeUndefined();
  await age(live, '24 hours 1 second');
  // Before any sweep.
  expect(await keys.claim(later, request('other'))).toEqual({ kind: 'ours' });
  expect(await acceptKey(database.source, ownedKey(live, request()), live.id)).toBe(false);
  // A claim whose job nobody submits any more goes with the sweep; one that is being submitted stays, however old.
  const claims = 'SELECT job_id FROM idempotency_keys WHERE account_id = $1';
  await database.source.query(
    "UPDATE idempotency_keys SET created_at = now() - interval '2 days' WHERE job_id = $1",
    [later.id],
  );
  await sweepKeys(database.source);
  expect(await database.source.query(claims, [account])).toHaveLength(1);
  await database.source.query('DELETE FROM jobs WHERE id = $1', [later.id]);
  await sweepKeys(database.source);
  expect(await database.source.query(claims, [account])).toHaveLength(0);
});
