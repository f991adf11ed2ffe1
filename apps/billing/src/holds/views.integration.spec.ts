import { randomUUID } from 'node:crypto';
import { HoldView } from '@currawong/contracts';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, TestBooks } from '../test-books';

let fresh: FreshDatabase;
let books: TestBooks;
beforeEach(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url);
});
afterEach(async () => {
  expect(await books.problems()).toEqual([]);
  await books.close();
  await fresh.drop();
});

const hold = async (account_id: string, seconds: number, wishes = {}) => {
  const job_id = randomUUID();
  const held = accepted(await books.holds.hold({ account_id, job_id, seconds, ...wishes }));
  return { job_id, held };
};

test('a hold is described as it stands, and a job without one is left out', async () => {
  const account = await books.account({ microAud: 5_000_000, freeSeconds: 60 });
  const open = (await hold(account, 120)).job_id;
  const captured = (await hold(account, 120)).job_id;
  const released = (await hold(account, 120)).job_id;
  accepted(await books.holds.capture({ job_id: captured, seconds: 90 }));
  accepted(await books.holds.release({ account_id: account, job_id: released, reason: 'lost' }));
  const asked = [open, captured, released, randomUUID()];
  const { holds } = accepted(await books.views.describe({ job_ids: asked }));
  const byJob = new Map(holds.map((view) => [view.job_id, HoldView.parse(view)]));
  const common = { account_id: account, placed_at: expect.any(String) };
  expect(byJob.get(open)).toEqual({
    ...common,
    job_id: open,
    state: 'pending',
    seconds: 120,
    charged_micro_aud: null,
  });
  expect(byJob.get(captured)).toEqual({
    ...common,
    job_id: captured,
    state: 'captured',
    seconds: 90,
    charged_micro_aud: 30_000,
  });
  expect(byJob.get(released)).toMatchObject({ state: 'released', seconds: 120, charged_micro_aud: null });
  expect(byJob.size).toBe(3);
});

test('every open hold is on exactly one page, and no settled or younger one on any', async () => {
  const account = await books.account({ freeSeconds: 1_000 });
  const open = await Promise.all(Array.from({ length: 25 }, () => hold(account, 1)));
  const settled = (await hold(account, 1)).job_id;
  accepted(await books.holds.capture({ job_id: settled, seconds: 1 }));
  await books.source.query(`UPDATE holds SET placed_at = placed_at - interval '1 hour'`);
  await hold(account, 1);

  const seen: string[] = [];
  for (let after: string | null = null; ; after = seen.at(-1)!) {
    const wanted = { older_than_seconds: 1_800, after_job_id: after, limit: 10 };
    const { holds } = accepted(await books.views.listOpen(wanted));
    seen.push(...holds.map(({ job_id }) => job_id));
    if (holds.length < 10) break;
  }
  expect(seen).toEqual(open.map(({ job_id }) => job_id).sort());
});

describe('what a job was accepted as', () => {
  test('sets its price, and stays with its hold when it is asked for again otherwise', async () => {
    const account = await books.account({ microAud: 5_000_000 });
    const key_id = randomUUID();
    const { job_id, held } = await hold(account, 60, { option: 'analysis', key_id });
    expect(held).toEqual({ held_seconds: 60, price_per_minute_micro_aud: 30_000 });
    const again = {
      account_id: account,
      job_id,
      seconds: 120,
      option: 'transcription',
      key_id: null,
    } as const;
    expect(accepted(await books.holds.hold(again)).price_per_minute_micro_aud).toBe(30_000);
    const [row] = await books.source.query(
      'SELECT option, key_id, price_per_minute_micro_aud, held_micro_aud FROM holds WHERE job_id = $1',
      [job_id],
    );
    expect(row).toEqual({
      option: 'analysis',
      key_id,
      price_per_minute_micro_aud: '30000',
      held_micro_aud: '60000',
    });
    expect(accepted(await books.holds.capture({ job_id, seconds: 90 })).charged_micro_aud).toBe(45_000);
  });

  test('is transcription where nothing else was said', async () => {
    const account = await books.account({ microAud: 5_000_000 });
    expect((await hold(account, 60)).held.price_per_minute_micro_aud).toBe(20_000);
  });

  test('keeps its price when prices change while it runs', async () => {
    const account = await books.account({ microAud: 5_000_000 });
    const { job_id } = await hold(account, 60);
    const dearer = await TestBooks.open(fresh.url, { pricePerMinuteMicroAud: 90_000n });
    try {
      expect(accepted(await dearer.holds.capture({ job_id, seconds: 60 })).charged_micro_aud).toBe(20_000);
    } finally {
      await dearer.close();
    }
  });
});
