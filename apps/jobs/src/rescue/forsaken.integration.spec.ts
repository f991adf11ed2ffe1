import { DataSource, Outbox } from '@currawong/database';
import type { Publisher } from '@currawong/messaging';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import type { JobsConfig } from '../config';
import { testDispatch } from '../dispatch/test-dispatch';
import { REDIARIZATION_GAVE_UP, rediarizationRefusal } from '../lifecycle/rediarization';
import { Attempts } from '../results/attempts';
import { findJob, type JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { findWork, insertWork, type WorkRecord } from '../storage/work-records';
import { LostWork } from './lost-work';

let fresh: FreshDatabase;
let database: TestDatabase;
let lostWork: LostWork;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  lostWork = workOn(database.source);
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

function workOn(source: DataSource): LostWork {
  // Nothing is sent here.
  const outbox = new Outbox(source, {} as Publisher, { warn: () => undefined });
  const { dispatcher } = testDispatch(
    { RETRY_DELAY_SECONDS: 5, QUEUE_LEASE_SECONDS: 60 } as JobsConfig,
    source,
    outbox,
  );
  return new LostWork(source, outbox, dispatcher, new Attempts(dispatcher), { STRANDED_AFTER_SECONDS: 90 });
}

/** Asked for so many seconds ago; without a state the work was never made. */
async function askedFor(state: WorkRecord['state'] | null, secondsAgo = 60): Promise<JobRecord> {
  const itemId = uuidv7();
  const job = await database.insertJob({
    state: 'completed',
    voices_key: 'voices',
    diarization_item_id: itemId,
    changed_at: new Date(Date.now() - secondsAgo * 1000),
  });
  if (state !== null)
    await database.source.transaction(async (manager) => {
      await insertWork(manager, { id: itemId, jobId: job.id, stage: 'rediarize', leaseSeconds: 60 });
      await manager.query("UPDATE work_items SET state = $2, worker = 'w' WHERE id = $1", [itemId, state]);
    });
  return job;
}

const now = async ({ id }: JobRecord) => (await findJob(database.source, id))!;

describe('telling speakers apart anew', () => {
  it.each(['dropped', 'done', null] as const)('is given up where its work is %s', async (state) => {
    const job = await askedFor(state);
    await lostWork.sweepForsaken();
    const after = await now(job);
    expect(after).toMatchObject({
      state: 'completed',
      result_key: job.result_key,
      diarization_item_id: null,
      diarization_error: REDIARIZATION_GAVE_UP,
    });
    expect(rediarizationRefusal(after)).toBeNull();
  });

  it.each(['queued', 'running'] as const)('goes on where its work is %s', async (state) => {
    const job = await askedFor(state);
    await lostWork.sweepForsaken();
    expect(await now(job)).toEqual(job);
  });

  it('is left alone just after it was asked for', async () => {
    const job = await askedFor(null, 2);
    await lostWork.sweepForsaken();
    expect(await now(job)).toEqual(job);
  });

  it('is looked at again once whoever has the job is done with it', async () => {
    const job = await askedFor('dropped');
    let sweep: Promise<void> | undefined;
    await database.source.transaction(async (manager) => {
      await manager.query('SELECT FROM jobs WHERE id = $1 FOR UPDATE', [job.id]);
      sweep = lostWork.sweepForsaken();
      await database.untilSomebodyWaits();
      await manager.query("UPDATE work_items SET state = 'queued' WHERE id = $1", [job.diarization_item_id]);
    });
    await sweep;
    expect(await now(job)).toEqual(job);
  });
});

describe('work that a release claimed which does not know of waiting', () => {
  it('is taken from a worker that is silent, although it still says from when it may be released', async () => {
    const job = await database.insertJob({ state: 'processing' });
    const id = uuidv7();
    await database.source.transaction(async (manager) => {
      await insertWork(manager, {
        ...{ id, jobId: job.id, stage: 'whole', leaseSeconds: -1 },
        ...{ accountId: job.account_id, audioSeconds: 60, waits: true },
      });
      await manager.query("UPDATE work_items SET state = 'running', worker = 'w' WHERE id = $1", [id]);
    });
    await lostWork.sweepExpiredLeases();
    expect(await findWork(database.source, id)).toMatchObject({ state: 'queued', attempt: 2, failures: 1 });
  });
});
