import { randomUUID } from 'node:crypto';
import { CheckLedger } from '@currawong/contracts';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, TestBooks } from '../test-books';

let fresh: FreshDatabase;
let books: TestBooks;
beforeEach(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url, { poolSize: 4 });
});
afterEach(async () => {
  await books.close();
  await fresh.drop();
});

test('books that nobody has used are right', async () => {
  expect(accepted(await books.checks.check())).toEqual({
    entries: 0,
    accounts: 0,
    open_holds: [],
    open_holds_total: 0,
    problems: [],
  });
});

test('open holds are listed, the oldest first, and every entry is counted', async () => {
  const account = await books.account({ microAud: 1_000_000, freeSeconds: 60 });
  const [older, newer, settled] = [randomUUID(), randomUUID(), randomUUID()];
  for (const job_id of [older, newer, settled]) {
    accepted(await books.holds.hold({ account_id: account, job_id, seconds: 60 }));
  }
  accepted(await books.holds.capture({ job_id: settled, seconds: 60 }));
  const findings = CheckLedger.reply.parse(accepted(await books.checks.check()));
  expect(findings).toEqual({
    entries: 12, // the grant, the top-up, three holds and a capture, two entries each
    accounts: 1,
    open_holds: [
      { job_id: older, account_id: account, seconds: 60 },
      { job_id: newer, account_id: account, seconds: 60 },
    ],
    open_holds_total: 2,
    problems: [],
  });
});

describe('what nobody but a vandal can do is found', () => {
  const account_id = '0198aaaa-0000-7000-8000-00000000000a';
  const job = '0198bbbb-0000-7000-8000-00000000000b';
  const open = '0198cccc-0000-7000-8000-00000000000c';
  const neverHeld = '0198dddd-0000-7000-8000-00000000000d';
  beforeEach(async () => {
    accepted(await books.accounts.open({ account_id, free_seconds: 30 }));
    const topUp = { kind: 'top_up', reason: 'card', reference: 'r1' } as const;
    accepted(await books.credit.add({ account_id, amount_micro_aud: 1_000_000, ...topUp }));
    for (const job_id of [job, open]) accepted(await books.holds.hold({ account_id, job_id, seconds: 60 }));
    accepted(await books.holds.capture({ job_id: job, seconds: 60 }));
    accepted(await books.holds.release({ account_id, job_id: neverHeld, reason: 'lost' }));
    expect(await books.problems()).toEqual([]);
  });

  /** Past the triggers and the constraints, as only the tables' owner can go. */
  async function vandalise(sql: string): Promise<void> {
    await books.source.transaction(async (manager) => {
      for (const table of ['transactions', 'postings']) {
        await manager.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      }
      for (const [table, constraint] of [
        ['balances', 'every_micro_aud_is_somewhere'],
        ['balances', 'balances_available_micro_aud_check'],
        ['holds', 'held_at_its_price'],
        ['postings', 'in_the_chart_of_accounts'],
      ]) {
        await manager.query(`ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`);
      }
      await manager.query(sql);
    });
  }
  const posting = (kind: string) =>
    `transaction_id = (SELECT id FROM transactions WHERE kind = '${kind}' LIMIT 1)`;

  test.each([
    [
      'a balance that was written by hand',
      `UPDATE balances SET available_micro_aud = available_micro_aud + 7`,
      [
        `Account ${account_id}: available micro_aud is 970007 in the balance and 970000 in the journal.`,
        `The customers' books and the platform's sum to 7 micro_aud instead of 0.`,
      ],
    ],
    [
      'a balance below zero',
      `UPDATE balances SET available_micro_aud = -1`,
      [`Account ${account_id}: available is below zero: -1 micro_aud.`],
    ],
    [
      'a changed amount',
      `UPDATE postings SET amount = amount + 5 WHERE ${posting('top_up')}`,
      [`Account ${account_id}: available micro_aud is 970000 in the balance and 970005 in the journal.`],
    ],
    [
      'a capture whose posting is gone',
      `DELETE FROM postings WHERE ${posting('capture')} AND unit = 'micro_aud'`,
      [
        `Job ${job} (captured): held 10000, captured 10000, released 0 micro_aud by its hold, but 10000, 0, 0 by the journal.`,
      ],
    ],
    [
      'a capture that is gone whole',
      `DELETE FROM postings WHERE ${posting('capture')}; DELETE FROM transactions WHERE kind = 'capture'`,
      [
        `Job ${job}: its hold is captured for account ${account_id}, but no such transaction is in the journal.`,
      ],
    ],
    [
      'a hold that was opened again after its capture',
      `UPDATE holds SET state = 'pending', captured_free_seconds = NULL, captured_paid_seconds = NULL,
              charged_micro_aud = NULL, captured_at = NULL WHERE job_id = '${job}'`,
      [
        `Job ${job} (pending): held 30, captured 0, released 0 free_second by its hold, but 30, 30, 0 by the journal.`,
        `Account ${account_id}: 20000 micro_aud and 0 free_second are held, but its open holds are 30000 and 30.`,
      ],
    ],
    [
      'a job that was released before it was held, and that is open again',
      `UPDATE holds SET state = 'pending', release_reason = NULL, released_at = NULL WHERE job_id = '${neverHeld}'`,
      [
        `Job ${neverHeld}: its hold is pending for account ${account_id}, but no such transaction is in the journal.`,
      ],
    ],
    [
      'a release that is gone whole, of a job that was never held',
      `DELETE FROM transactions WHERE kind = 'release'`,
      [
        `Job ${neverHeld}: its hold is released for account ${account_id}, but no such transaction is in the journal.`,
      ],
    ],
    [
      'an empty hold whose placing is gone',
      `DELETE FROM transactions WHERE kind = 'hold' AND job_id = '${neverHeld}'`,
      [
        `Job ${neverHeld}: its hold is released for account ${account_id}, but no such transaction is in the journal.`,
      ],
    ],
    [
      'a hold that vanished',
      `DELETE FROM holds WHERE job_id = '${open}'`,
      [
        `Job ${open} (no hold): held 0, captured 0, released 0 micro_aud by its hold, but 20000, 0, 0 by the journal.`,
        `Account ${account_id}: 20000 micro_aud and 0 free_second are held, but its open holds are 0 and 0.`,
      ],
    ],
    [
      'a hold that was made larger',
      `UPDATE holds SET held_micro_aud = held_micro_aud + 1 WHERE job_id = '${open}'`,
      [
        `Job ${open} (pending): held 20001, captured 0, released 0 micro_aud by its hold, but 20000, 0, 0 by the journal.`,
      ],
    ],
    [
      'money that went to another book than its kind says',
      `UPDATE postings SET to_book = 'revenue' WHERE ${posting('top_up')}`,
      [expect.stringMatching(/^Transaction \d+ \(top_up\): top_ups to revenue does not belong in it\.$/)],
    ],
    [
      'usage that was never captured',
      `UPDATE monthly_totals SET captured_seconds = 61`,
      [
        expect.stringMatching(
          /^Account .*: the usage of \d{4}-\d{2} is 61 seconds, but its captures are 60 seconds\.$/,
        ),
      ],
    ],
    [
      'GST that no top-up contains',
      `UPDATE monthly_totals SET gst_cents = 10`,
      [
        expect.stringMatching(
          /^Account .*: the totals of \d{4}-\d{2} are \{.*"gst_cents": "10".*\}, and by the journal \{.*"gst_cents": "9".*\}\.$/,
        ),
      ],
    ],
    [
      'a balance on the statement that its lines do not add up to',
      `UPDATE transactions SET balance_after_micro_aud = 1 WHERE kind = 'capture'`,
      [
        expect.stringMatching(
          /^Transaction \d+: it says that 1 micro_aud and 0 free_second were left, and the journal 990000 and 0\.$/,
        ),
      ],
    ],
    [
      'a paid top-up that was never booked',
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state, session_id, paid_at)
       VALUES ('${job}', '${account_id}', 5000000, 'paid', 'cs_1', now())`,
      [
        `Top-up ${job}: 5000000 micro_aud were paid for account ${account_id}, but no such transaction is in the journal.`,
      ],
    ],
  ])('%s', async (_what, sql, sentences) => {
    await vandalise(sql);
    expect(await books.problems()).toEqual(expect.arrayContaining(sentences));
  });

  test('a flood of problems is cut short and says so', async () => {
    await vandalise(
      `INSERT INTO balances (account_id, opened_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 300);
       UPDATE balances SET available_micro_aud = -1`,
    );
    const problems = await books.problems();
    expect(problems.length).toBeLessThan(1_000);
    expect(problems).toContain(
      'There is more against the rule that every balance is the sum of its postings.',
    );
  });
});

test('of thousands of open holds the first are listed and all are counted', async () => {
  const account = await books.account({ freeSeconds: 5_000 });
  await Promise.all(
    Array.from({ length: 4_100 }, () =>
      books.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 1 }),
    ),
  );
  const findings = accepted(await books.checks.check());
  expect(findings.open_holds).toHaveLength(4_000);
  expect(findings).toMatchObject({ open_holds_total: 4_100, problems: [] });
}, 120_000);

test('bookings that go on beside the check are no problems', async () => {
  const account = await books.account({ microAud: 100_000_000 });
  let over = false;
  const work = Promise.all(
    Array.from({ length: 20 }, async () => {
      while (!over) {
        const job_id = randomUUID();
        accepted(await books.holds.hold({ account_id: account, job_id, seconds: 60 }));
        accepted(await books.holds.capture({ job_id, seconds: 45 }));
      }
    }),
  );
  const checks = [];
  for (let turn = 0; turn < 20; turn += 1) checks.push(accepted(await books.checks.check()));
  over = true;
  await work;
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
  for (const { entries, open_holds } of checks) {
    // The top-up has two entries, an open hold has two, a captured job six: counts of one moment always add up.
    expect((entries - 2 - 2 * open_holds.length) % 6).toBe(0);
  }
  expect(checks.at(-1)!.entries).toBeGreaterThan(checks[0]!.entries);
});
