import { randomUUID } from 'node:crypto';
import { AccountSummary } from '@currawong/contracts';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, refusal, TestBooks } from '../test-books';

let fresh: FreshDatabase;
let books: TestBooks;
beforeAll(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url);
});
afterAll(async () => {
  await books?.close();
  await fresh?.drop();
});

test('an account is opened with its free seconds and the present price', async () => {
  const account_id = randomUUID();
  const summary = accepted(await books.accounts.open({ account_id, free_seconds: 5_400 }));
  expect(AccountSummary.parse(summary)).toMatchObject({
    account_id,
    available_micro_aud: 0,
    held_micro_aud: 0,
    free_seconds_available: 5_400,
    price_per_minute_micro_aud: 20_000,
    price_per_minute_with_analysis_micro_aud: 30_000,
    total_topped_up_micro_aud: 0,
    total_used_micro_aud: 0,
    period_seconds_used: 0,
  });
});

test('opening it again changes nothing, whatever free seconds are named then', async () => {
  const account = await books.account({ freeSeconds: 60, microAud: 1_000_000 });
  const again = accepted(await books.accounts.open({ account_id: account, free_seconds: 9_999 }));
  expect(again).toEqual(await books.summary(account));
  expect(again).toMatchObject({ free_seconds_available: 60, available_micro_aud: 1_000_000 });
});

test('an account whose books were never opened is not found', async () => {
  expect(refusal(await books.accounts.summary({ account_id: randomUUID() })).code).toBe('account_not_found');
});

test('the period is the calendar month in Sydney, from its first day to its last', async () => {
  const summary = await books.summary(await books.account());
  const [year, month, day] = new Intl.DateTimeFormat('en-CA', { timeZone: 'Australia/Sydney' })
    .format(new Date())
    .split('-');
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  expect(summary.period_start).toBe(`${year}-${month}-01`);
  expect(summary.period_end).toBe(`${year}-${month}-${lastDay}`);
  expect(day! <= String(lastDay)).toBe(true);
});

test.each([
  // Standard time is UTC+10, daylight saving time UTC+11.
  ['2026-04-30T13:59:59.999Z', '2026-04-01'],
  ['2026-04-30T14:00:00Z', '2026-05-01'],
  ['2026-10-31T12:59:59.999Z', '2026-10-01'],
  ['2026-10-31T13:00:00Z', '2026-11-01'],
  ['2026-12-31T13:00:00Z', '2027-01-01'],
])('%s belongs to the Sydney month of %s', async (moment, month) => {
  const [found] = await books.source.query('SELECT sydney_month($1)::text AS month', [moment]);
  expect(found.month).toBe(month);
});

test('the usage of past months is not in the present one', async () => {
  const account = await books.account({ freeSeconds: 600 });
  const job_id = randomUUID();
  accepted(await books.holds.hold({ account_id: account, job_id, seconds: 60 }));
  accepted(await books.holds.capture({ job_id, seconds: 60 }));
  await books.source.query(
    `INSERT INTO monthly_totals (account_id, month, captured_seconds)
     SELECT account_id, month - interval '1 month', 999 FROM monthly_totals
      WHERE account_id = $1`,
    [account],
  );
  expect((await books.summary(account)).period_seconds_used).toBe(60);
});
