import { RecognizeWork, type Chunk, type PayloadOf, type WorkOutcome } from '@currawong/contracts';
import { Outbox, rows } from '@currawong/database';
import {
  connectMessaging,
  ensureStreams,
  Notices,
  Publisher,
  Requester,
  type MessagingConnection,
} from '@currawong/messaging';
import { freshDatabase, freshNats, type FreshDatabase, type FreshNats } from '@currawong/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { v7 as uuidv7 } from 'uuid';
import type { JobsConfig } from '../config';
import { ClaimsController } from '../dispatch/claims.controller';
import { testDispatch } from '../dispatch/test-dispatch';
import { TestAllowance } from '../intake/test-allowance';
import type { JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { insertWork, type WorkRecord } from '../storage/work-records';
import { Attempts } from './attempts';
import { LongerThanHeld } from './longer-than-held';
import { ResultsController } from './results.controller';
import { Settlement } from './settlement';

const CONFIG = {
  WORK_LEASE_SECONDS: 60,
  QUEUE_LEASE_SECONDS: 60,
  RETRY_DELAY_SECONDS: 5,
  MAX_RECORDING_SECONDS: 36_000,
  DISPATCH_AHEAD_SECONDS: 100_000,
} as JobsConfig;

let fresh: FreshDatabase;
let nats: FreshNats;
let database: TestDatabase;
let connection: MessagingConnection;
let results: ResultsController;
let claims: ClaimsController;

beforeAll(async () => {
  [fresh, nats] = await Promise.all([freshDatabase(), freshNats()]);
  database = await TestDatabase.open(fresh.url);
  const { source } = database;
  connection = await connectMessaging({ url: nats.url, name: 'jobs-recut-test' });
  await ensureStreams(connection);
  const requester = new Requester(connection);
  const outbox = new Outbox(source, new Publisher(connection), { warn: () => undefined });
  const { dispatcher, releases } = testDispatch(CONFIG, source, outbox);
  results = new ResultsController(
    ...([CONFIG, source, outbox, dispatcher, new Attempts(dispatcher)] as const),
    new LongerThanHeld(source, requester),
    new Settlement(requester, outbox, new TestAllowance(CONFIG, source), new Notices(connection)),
    releases,
  );
  claims = new ClaimsController(source, CONFIG, outbox, dispatcher, new Notices(connection), releases);
});
afterAll(async () => {
  await connection?.close();
  await database?.close();
  await nats?.stop();
  await fresh?.drop();
});

/** A job whose recording is being cut. */
class Cutting {
  private constructor(
    readonly job: JobRecord,
    private readonly item: WorkRecord,
  ) {}

  static async begin(): Promise<Cutting> {
    const job = await database.insertJob({ state: 'processing', held_seconds: 36_000 });
    const item = await database.source.transaction((manager) =>
      insertWork(manager, { id: uuidv7(), jobId: job.id, stage: 'prepare', leaseSeconds: 60 }),
    );
    const cutting = new Cutting(job, item!);
    await cutting.attempt(1);
    return cutting;
  }

  /** From now on this is the attempt that counts, and a worker is at it. */
  attempt(attempt: number): Promise<unknown> {
    return database.source.query(
      `UPDATE work_items SET attempt = $2, state = 'running', worker = 'cutter', finished_at = NULL WHERE id = $1`,
      [this.item.id, attempt],
    );
  }

  found(attempt: number, index: number, start_seconds: number, end_seconds: number): Promise<unknown> {
    const audio_key = `${index}-${attempt}.pcm`;
    const chunk: Chunk = { index, start_seconds, end_seconds, audio_key, speech: [] };
    return results.chunkCut({ job_id: this.job.id, item_id: this.item.id, attempt, chunk });
  }

  ended(attempt: number, chunks: number): Promise<unknown> {
    const outcome: WorkOutcome = { kind: 'prepared', duration_seconds: 120, chunks };
    return results.workFinished({ job_id: this.job.id, item_id: this.item.id, attempt, outcome });
  }

  work(stage: string): Promise<WorkRecord[]> {
    return rows<WorkRecord>(
      database.source,
      'SELECT * FROM work_items WHERE job_id = $1 AND stage = $2 ORDER BY chunk_index',
      [this.job.id, stage],
    );
  }

  async recognize(item: WorkRecord): Promise<void> {
    const reference = { job_id: this.job.id, item_id: item.id, attempt: item.attempt };
    expect(await claims.claim({ ...reference, worker: 'listener' })).toMatchObject({
      value: { claimed: true },
    });
    await results.workFinished({ ...reference, outcome: { kind: 'recognized' } });
  }

  /** What workers were sent of it, in order: the work, and where the chunk begins and ends. */
  async sent(): Promise<string[]> {
    const manager = await jetstreamManager(connection.nats);
    const { state } = await manager.streams.info(RecognizeWork.stream);
    const messages: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(RecognizeWork.stream, { seq });
      const work = message?.json<PayloadOf<typeof RecognizeWork>>();
      if (work?.job_id !== this.job.id || work.chunk === undefined) continue;
      messages.push(`${work.item_id}:${work.attempt} ${work.chunk.start_seconds}-${work.chunk.end_seconds}`);
    }
    return messages;
  }
}

async function eventually(check: () => Promise<void>): Promise<void> {
  const until = Date.now() + 5_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe('a recording that is cut once more', () => {
  it('keeps what was recognized where it is cut at the same places', async () => {
    const cutting = await Cutting.begin();
    await cutting.found(1, 0, 0, 60);
    await cutting.recognize((await cutting.work('recognize'))[0]!);
    const before = await cutting.work('recognize');
    await cutting.attempt(2);
    await cutting.found(2, 0, 0, 60.0004);
    expect(await cutting.work('recognize')).toEqual(before);
  });

  it('has those chunks recognized anew that begin or end at other places', async () => {
    const cutting = await Cutting.begin();
    await cutting.found(1, 0, 0, 60);
    await cutting.found(1, 1, 60, 120);
    const [first, second] = await cutting.work('recognize');
    await cutting.recognize(first!);
    await cutting.attempt(2);
    await cutting.found(2, 0, 0, 50);
    await cutting.found(2, 1, 50, 120);

    const anew = await cutting.work('recognize');
    expect(anew).toMatchObject([
      { state: 'queued', attempt: 2, worker: null, fraction: 0, finished_at: null },
      { state: 'queued', attempt: 2 },
    ]);
    expect(anew.map(({ chunk }) => chunk!.audio_key)).toEqual(['0-2.pcm', '1-2.pcm']);
    await eventually(async () =>
      expect((await cutting.sent()).sort()).toEqual(
        [
          ...[`${first!.id}:1 0-60`, `${second!.id}:1 60-120`],
          ...[`${anew[0]!.id}:2 0-50`, `${anew[1]!.id}:2 50-120`],
        ].sort(),
      ),
    );
    // A worker that takes the older message would recognize the older chunk.
    const stale = { job_id: cutting.job.id, item_id: second!.id, attempt: 1, worker: 'listener' };
    expect(await claims.claim(stale)).toMatchObject({ value: { claimed: false } });
  });

  it('takes nothing from an older attempt in the place of a newer one', async () => {
    const cutting = await Cutting.begin();
    await cutting.attempt(2);
    await cutting.found(2, 0, 0, 50);
    const before = await cutting.work('recognize');
    await cutting.found(1, 0, 0, 60);
    expect(await cutting.work('recognize')).toEqual(before);
  });

  it('waits with the assembly until the newest attempt has ended, and for its chunks', async () => {
    const cutting = await Cutting.begin();
    await cutting.found(1, 0, 0, 120);
    await cutting.ended(1, 1);
    await cutting.attempt(2);
    await cutting.recognize((await cutting.work('recognize'))[0]!);
    expect(await cutting.work('assemble')).toEqual([]);
    await cutting.ended(2, 1);
    const [early] = await cutting.work('assemble');
    expect(early).toMatchObject({ state: 'queued' });
    // It was found before the end, but is heard of after it.
    await cutting.found(2, 0, 0, 110);
    expect(await cutting.work('assemble')).toEqual([]);
    await cutting.recognize((await cutting.work('recognize'))[0]!);
    const [assembly] = await cutting.work('assemble');
    expect(assembly).toMatchObject({ state: 'queued' });
    expect(assembly!.id).not.toBe(early!.id);
  });

  it('lets go of chunks beyond the last one, and takes them up again where a later attempt has them', async () => {
    const cutting = await Cutting.begin();
    await cutting.found(1, 0, 0, 60);
    await cutting.found(1, 1, 60, 120);
    await cutting.attempt(2);
    await cutting.found(2, 0, 0, 120);
    await cutting.ended(2, 1);
    await cutting.found(1, 2, 110, 120);
    expect(await cutting.work('recognize')).toMatchObject([{ state: 'queued' }, { state: 'dropped' }]);
    await cutting.attempt(3);
    await cutting.found(3, 0, 0, 60);
    await cutting.found(3, 1, 60, 120);
    await cutting.ended(3, 2);
    for (const item of await cutting.work('recognize')) await cutting.recognize(item);
    expect(await cutting.work('assemble')).toMatchObject([{ state: 'queued' }]);
  });
});
