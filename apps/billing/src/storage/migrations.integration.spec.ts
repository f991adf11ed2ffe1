import { createDataSource, migrate } from '@currawong/database';
import { freshDatabase } from '@currawong/testing';
import { accepted, TestBooks } from '../test-books';
import { BILLING_SCHEMA } from './database';
import { MIGRATIONS } from './migrations';

const ACCOUNT = '0198aaaa-0000-7000-8000-00000000000a';
const JOB = '0198bbbb-0000-7000-8000-00000000000b';

// As the first version of billing booked it: a gift, two top-ups a month apart, and one job that used some of both.
const HISTORY = `
  INSERT INTO balances (account_id, available_micro_aud, credited_micro_aud, used_micro_aud,
                        available_free_seconds, credited_free_seconds, used_free_seconds)
  VALUES ('${ACCOUNT}', 35990000, 36000000, 10000, 0, 30, 30);
  INSERT INTO transactions (kind, reference, input_hash, account_id, job_id, reason, booked_at) VALUES
    ('open_account', '${ACCOUNT}', NULL, '${ACCOUNT}', NULL, NULL, '2026-08-31T13:59:59Z'),
    ('top_up', 'one', '\\x00', '${ACCOUNT}', NULL, 'bank transfer', '2026-08-31T14:00:00Z'),
    ('hold', '${JOB}', NULL, '${ACCOUNT}', '${JOB}', NULL, '2026-09-30T13:00:00Z'),
    ('capture', '${JOB}', NULL, '${ACCOUNT}', '${JOB}', NULL, '2026-09-30T13:30:00Z'),
    ('top_up', 'two', '\\x00', '${ACCOUNT}', NULL, 'bank transfer', '2026-09-30T14:00:00Z');
  INSERT INTO postings (transaction_id, line, from_book, to_book, unit, amount)
  SELECT t.id, p.line, p.from_book, p.to_book, p.unit, p.amount FROM transactions t JOIN (VALUES
    ('open_account', 0, 'free_granted', 'available', 'free_second', 30),
    ('top_up one', 0, 'top_ups', 'available', 'micro_aud', 25000000),
    ('hold', 0, 'available', 'held', 'free_second', 30), ('hold', 1, 'available', 'held', 'micro_aud', 20000),
    ('capture', 0, 'held', 'free_used', 'free_second', 30), ('capture', 1, 'held', 'revenue', 'micro_aud', 10000),
    ('capture', 2, 'held', 'available', 'micro_aud', 10000),
    ('top_up two', 0, 'top_ups', 'available', 'micro_aud', 11000000)
  ) AS p (what, line, from_book, to_book, unit, amount)
    ON p.what = CASE t.kind WHEN 'top_up' THEN 'top_up ' || t.reference ELSE t.kind END;
  INSERT INTO holds (job_id, account_id, state, price_per_minute_micro_aud, free_seconds, paid_seconds, held_micro_aud,
                     captured_free_seconds, captured_paid_seconds, charged_micro_aud, captured_at, placed_at)
  VALUES ('${JOB}', '${ACCOUNT}', 'captured', 20000, 30, 60, 20000, 30, 30, 10000, '2026-09-30T13:30:00Z',
          '2026-09-30T13:00:00Z');
  INSERT INTO monthly_usage VALUES ('${ACCOUNT}', '2026-09-01', 60);`;

test('books of the first version have a statement after the migration, and the ledger check finds them right', async () => {
  const fresh = await freshDatabase();
  try {
    await migrate({ ...BILLING_SCHEMA, migrations: MIGRATIONS.slice(0, 1), url: fresh.url });
    const source = await createDataSource({ ...BILLING_SCHEMA, url: fresh.url }).initialize();
    await source.query(HISTORY);
    await source.destroy();
    const books = await TestBooks.open(fresh.url);
    try {
      expect(await books.problems()).toEqual([]);
      const wanted = { account_id: ACCOUNT, month: '2026-09', after: null, limit: 500 };
      const september = accepted(await books.statements.statement(wanted));
      expect(september).toMatchObject({
        opening_balance_aud: '0.000000',
        closing_balance_aud: '24.990000',
        opening_free_seconds: 30,
        closing_free_seconds: 0,
        totals: { topped_up_aud: '25.000000', gst_included_aud: '2.27', used_aud: '0.010000', jobs: 1 },
      });
      expect(september.lines.map(({ kind, balance_after_aud }) => [kind, balance_after_aud])).toEqual([
        ['top_up', '25.000000'],
        ['job', '24.990000'],
      ]);
      // The journal is locked again.
      await expect(books.source.query(`UPDATE transactions SET reason = 'other'`)).rejects.toThrow(
        'append-only',
      );
    } finally {
      await books.close();
    }
  } finally {
    await fresh.drop();
  }
});
