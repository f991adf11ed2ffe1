import { randomUUID } from 'node:crypto';
import { accept } from '@currawong/contracts';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, TestBooks } from '../test-books';
import { Journal } from './journal';

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
const query = (sql: string, parameters: unknown[] = []) => books.source.query(sql, parameters);

describe('a connection killed in the middle of a booking', () => {
  // The trigger stops the statement after the transaction's row and before its end.
  beforeEach(async () => {
    await query(
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(20); RETURN NEW; END'`,
    );
  });
  const dawdle = () =>
    query('CREATE TRIGGER dawdle AFTER INSERT ON postings FOR EACH ROW EXECUTE FUNCTION dawdle()');
  const hurry = () => query('DROP TRIGGER dawdle ON postings');

  async function killTheDawdler(): Promise<void> {
    for (let killed = 0; killed === 0; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const dawdlers = await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      killed = dawdlers.length;
    }
  }

  test('leaves nothing of a capture behind, and the capture can be repeated', async () => {
    const account = await books.account({ microAud: 1_000_000, freeSeconds: 30 });
    const job_id = randomUUID();
    accepted(await books.holds.hold({ account_id: account, job_id, seconds: 90 }));
    const before = await books.summary(account);
    await dawdle();
    const broken = expect(books.holds.capture({ job_id, seconds: 60 })).rejects.toThrow();
    await killTheDawdler();
    await broken;
    await hurry();
    expect(await books.summary(account)).toEqual(before);
    expect(await books.problems()).toEqual([]);
    accepted(await books.holds.capture({ job_id, seconds: 60 }));
    expect(await books.summary(account)).toMatchObject({ held_micro_aud: 0, total_used_micro_aud: 10_000 });
  });

  test('leaves no half-opened account behind', async () => {
    const account_id = randomUUID();
    await dawdle();
    const broken = expect(books.accounts.open({ account_id, free_seconds: 60 })).rejects.toThrow();
    await killTheDawdler();
    await broken;
    await hurry();
    expect(await query('SELECT FROM balances')).toHaveLength(0);
    expect(accepted(await books.accounts.open({ account_id, free_seconds: 60 })).free_seconds_available).toBe(
      60,
    );
  });
});

describe('decisions that share a page', () => {
  test('one that breaks down takes no other with it', async () => {
    const account = await books.account({ microAud: 1_000_000 });
    const journal = new Journal(books.outbox);
    const good = () =>
      journal.book({ accountIds: [account] }, (page) => {
        const postings = [{ from: 'top_ups', to: 'available', unit: 'micro_aud', amount: 1n }] as const;
        const named = { kind: 'top_up', reference: randomUUID(), reason: 'test', inputHash: '00' } as const;
        page.book({ ...named, accountId: account, postings: [...postings] });
        return accept('booked');
      });
    // A defect in a decision, one that only the ledger sees, and one that only the database's constraints see.
    const throwing = journal.book({ accountIds: [account] }, () => {
      throw new Error('a defect');
    });
    const overdrawing = journal.book({ accountIds: [account] }, (page) => {
      const postings = [{ from: 'held', to: 'revenue', unit: 'micro_aud', amount: 1n }] as const;
      page.book({
        kind: 'top_up',
        reference: 'x',
        reason: 'x',
        inputHash: '00',
        accountId: account,
        postings: [...postings],
      });
      return accept('booked');
    });
    const misdirected = journal.book({ accountIds: [account] }, (page) => {
      const postings = [{ from: 'revenue', to: 'available', unit: 'micro_aud', amount: 1n }] as const;
      page.book({
        kind: 'top_up',
        reference: 'y',
        reason: 'y',
        inputHash: '00',
        accountId: account,
        postings: [...postings],
      });
      return accept('booked');
    });
    const outcomes = await Promise.allSettled([good(), throwing, good(), overdrawing, misdirected, good()]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(String((outcomes[4] as PromiseRejectedResult).reason)).toContain('in_the_chart_of_accounts');
    expect((await books.summary(account)).available_micro_aud).toBe(1_000_003);
  });

  test('see each other in the order in which they came', async () => {
    const account = await books.account({ microAud: 500_000 });
    const job_id = randomUUID();
    const [held, captured, released] = await Promise.all([
      books.holds.hold({ account_id: account, job_id, seconds: 60 }),
      books.holds.capture({ job_id, seconds: 30 }),
      books.holds.release({ account_id: account, job_id, reason: 'too late' }),
    ]);
    expect(accepted(held).held_seconds).toBe(60);
    expect(accepted(captured).charged_micro_aud).toBe(10_000);
    expect(released.ok).toBe(false);
  });

  test('are all answered, however many more they are than a page holds', async () => {
    const account = await books.account({ freeSeconds: 10_000 });
    const results = await Promise.all(
      Array.from({ length: 1_001 }, () =>
        books.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 1 }),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect((await books.summary(account)).free_seconds_available).toBe(8_999);
  });
});

test('a database that went away fails what was asked meanwhile and nothing after it is back', async () => {
  const account = await books.account({ freeSeconds: 60 });
  await query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  ).catch(() => undefined);
  await query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
  const hold = () => books.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 1 });
  await hold().catch(() => undefined);
  expect((await hold()).ok).toBe(true);
});

describe('the tables refuse', () => {
  let account: string;
  let job_id: string;
  beforeEach(async () => {
    account = await books.account({ microAud: 1_000_000 });
    job_id = randomUUID();
    accepted(await books.holds.hold({ account_id: account, job_id, seconds: 60 }));
  });

  test.each([
    ['a changed transaction', `UPDATE transactions SET reason = 'other'`, 'append-only'],
    ['a deleted transaction', `DELETE FROM transactions`, 'append-only'],
    ['a changed posting', `UPDATE postings SET amount = amount + 1`, 'append-only'],
    ['a deleted posting', `DELETE FROM postings`, 'append-only'],
    ['an emptied journal', `TRUNCATE postings`, 'append-only'],
    [
      'a negative balance',
      `UPDATE balances SET available_micro_aud = -1, used_micro_aud = 980001`,
      'available_micro_aud_check',
    ],
    ['money from nowhere', `UPDATE balances SET available_micro_aud = 5`, 'every_micro_aud_is_somewhere'],
    [
      'free seconds from nowhere',
      `UPDATE balances SET held_free_seconds = 5`,
      'every_free_second_is_somewhere',
    ],
    ['a captured hold without its charge', `UPDATE holds SET state = 'captured'`, 'captured_has_its_charge'],
    ['a charge on an open hold', `UPDATE holds SET captured_at = now()`, 'captured_has_its_charge'],
    ['a released hold without its reason', `UPDATE holds SET state = 'released'`, 'released_has_its_reason'],
    [
      'a reason on an open hold',
      `UPDATE holds SET release_reason = 'x', released_at = now()`,
      'released_has_its_reason',
    ],
    ['a hold at another than its price', `UPDATE holds SET held_micro_aud = 1`, 'held_at_its_price'],
    [
      'a charge at another than its price',
      `UPDATE holds SET state = 'captured', captured_at = now(), captured_free_seconds = 0, captured_paid_seconds = 60,
              charged_micro_aud = 19999`,
      'charged_at_its_price',
    ],
    [
      'a capture beyond its hold',
      `UPDATE holds SET state = 'captured', captured_at = now(), captured_free_seconds = 0, captured_paid_seconds = 61,
              charged_micro_aud = 20333`,
      'captured_within_the_hold',
    ],
    [
      'credit without a reason',
      `INSERT INTO transactions (kind, reference, input_hash, account_id, booked_at, month,
                                 balance_after_micro_aud, free_seconds_after)
       SELECT 'top_up', 'r', '\\x00', account_id, now(), sydney_month(now()), 0, 0 FROM balances`,
      'credit_has_a_hash_and_a_reason',
    ],
    [
      'a second booking of one reference',
      `INSERT INTO transactions (kind, reference, account_id, job_id, booked_at, month,
                                 balance_after_micro_aud, free_seconds_after)
       SELECT kind, reference, account_id, job_id, now(), month, 0, 0 FROM transactions WHERE kind = 'hold'`,
      'booked_once',
    ],
    [
      'a balance below zero on a statement',
      `INSERT INTO transactions (kind, reference, account_id, booked_at, month, balance_after_micro_aud,
                                 free_seconds_after)
       SELECT 'open_account', 'r', account_id, now(), sydney_month(now()), -1, 0 FROM balances`,
      'no_balance_below_zero',
    ],
    [
      'an open top-up without a page',
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state)
       SELECT account_id, account_id, 10000, 'open' FROM balances`,
      'beyond_the_start_there_is_a_session',
    ],
    [
      'a top-up of a fraction of a cent',
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state)
       SELECT account_id, account_id, 10001, 'starting' FROM balances`,
      'top_ups_amount_micro_aud_check',
    ],
    [
      'a paid top-up without its time',
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state, session_id)
       SELECT account_id, account_id, 10000, 'paid', 'cs_1' FROM balances`,
      'paid_has_its_time',
    ],
    [
      'a page to pay on for a top-up that is over',
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state, session_id, checkout_url)
       SELECT account_id, account_id, 10000, 'expired', 'cs_1', 'https://pay.example' FROM balances`,
      'payable_only_while_open',
    ],
  ])('%s', async (_what, sql, because) => {
    await expect(query(sql)).rejects.toThrow(because);
  });
});
