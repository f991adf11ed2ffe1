import { randomUUID } from 'node:crypto';
import { BalanceLow } from '@currawong/contracts';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, refusal, TestBooks } from '../test-books';

let fresh: FreshDatabase;
let books: TestBooks;
beforeAll(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url);
});
afterEach(async () => expect(await books.problems()).toEqual([]));
afterAll(async () => {
  await books?.close();
  await fresh?.drop();
});

const watch = (account_id: string, threshold_micro_aud: number | null) =>
  books.accounts.setLowBalanceNotice({ account_id, threshold_micro_aud });

async function job(account_id: string, seconds: number): Promise<void> {
  const job_id = randomUUID();
  accepted(await books.holds.hold({ account_id, job_id, seconds }));
  accepted(await books.holds.capture({ job_id, seconds }));
}

const topUp = async (account_id: string, amount_micro_aud: number) =>
  accepted(
    await books.credit.add({
      account_id,
      amount_micro_aud,
      kind: 'top_up',
      reason: 'test',
      reference: randomUUID(),
    }),
  );

/** What waits to be sent for an account, the oldest first. */
async function told(account_id: string) {
  const rows = await books.source.query(
    `SELECT payload, message_id FROM outbox WHERE subject = $1 AND payload->>'account_id' = $2 ORDER BY id`,
    [BalanceLow.subject, account_id],
  );
  expect(new Set(rows.map(({ message_id }: { message_id: string }) => message_id)).size).toBe(rows.length);
  return rows.map(({ payload }: { payload: unknown }) => BalanceLow.payload.parse(payload));
}

test('a balance that falls below its threshold is told once, until it was above again', async () => {
  const account = await books.account({ microAud: 1_040_000 });
  accepted(await watch(account, 1_000_000));
  await job(account, 60);
  await job(account, 60);
  expect(await told(account)).toEqual([]);
  await job(account, 60);
  await job(account, 60);
  const first = { account_id: account, available_micro_aud: 980_000, threshold_micro_aud: 1_000_000 };
  expect(await told(account)).toEqual([first]);
  // 0.96 + 0.05 is above again, and the second job after it goes below once more.
  await topUp(account, 50_000);
  await job(account, 30);
  expect(await told(account)).toEqual([first]);
  await job(account, 60);
  expect(await told(account)).toEqual([first, first]);
});

test('nothing is told while free seconds are left', async () => {
  const account = await books.account({ freeSeconds: 120, microAud: 600_000 });
  accepted(await watch(account, 5_000_000));
  await job(account, 60);
  expect(await told(account)).toEqual([]);
  await job(account, 60);
  expect(await told(account)).toHaveLength(1);
});

test('a hold that is released in the end causes no message', async () => {
  const account = await books.account({ microAud: 1_000_000 });
  accepted(await watch(account, 900_000));
  const job_id = randomUUID();
  accepted(await books.holds.hold({ account_id: account, job_id, seconds: 1_800 }));
  accepted(await books.holds.release({ account_id: account, job_id, reason: 'cancelled' }));
  expect(await told(account)).toEqual([]);
});

test('of 50 jobs that end at once, the one that crosses the threshold is told', async () => {
  const account = await books.account({ microAud: 1_500_000 });
  accepted(await watch(account, 1_000_000));
  await Promise.all(Array.from({ length: 50 }, () => job(account, 60)));
  expect(await told(account)).toHaveLength(1);
});

test('without a threshold, or with one that was taken away, nothing is told', async () => {
  const [never, nomore] = [
    await books.account({ microAud: 510_000 }),
    await books.account({ microAud: 510_000 }),
  ];
  accepted(await watch(nomore, 500_000));
  accepted(await watch(nomore, null));
  for (const account of [never, nomore]) await job(account, 60);
  expect([...(await told(never)), ...(await told(nomore))]).toEqual([]);
});

test('a booking that does not happen tells nothing', async () => {
  const account = await books.account({ microAud: 510_000 });
  accepted(await watch(account, 500_000));
  const job_id = randomUUID();
  accepted(await books.holds.hold({ account_id: account, job_id, seconds: 60 }));
  await books.source.query(
    `ALTER TABLE postings ADD CONSTRAINT broken CHECK (to_book <> 'revenue') NOT VALID`,
  );
  try {
    await expect(books.holds.capture({ job_id, seconds: 60 })).rejects.toThrow('broken');
    expect(await told(account)).toEqual([]);
  } finally {
    await books.source.query('ALTER TABLE postings DROP CONSTRAINT broken');
  }
  accepted(await books.holds.capture({ job_id, seconds: 60 }));
  expect(await told(account)).toHaveLength(1);
});

test('an account without books has no threshold', async () => {
  expect(refusal(await watch(randomUUID(), 1_000_000)).code).toBe('account_not_found');
});
