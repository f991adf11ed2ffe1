/** One rule of the books; the statement finds every place where it is broken, as a sentence in `problem`. */
export interface Rule {
  name: string;
  sql: string;
}

/** All postings with what they were booked for. */
const JOURNAL = `
  SELECT t.account_id, t.job_id, t.kind, p.from_book, p.to_book, p.unit, p.amount
    FROM transactions t JOIN postings p ON p.transaction_id = t.id`;

/** What the balances say, one row for each account, book and unit. */
const PROJECTION = `
  SELECT account_id, unit, book, amount FROM balances CROSS JOIN LATERAL (VALUES
    ('micro_aud',   'available', available_micro_aud),    ('micro_aud',   'held', held_micro_aud),
    ('micro_aud',   'credited',  credited_micro_aud),     ('micro_aud',   'used', used_micro_aud),
    ('free_second', 'available', available_free_seconds), ('free_second', 'held', held_free_seconds),
    ('free_second', 'credited',  credited_free_seconds),  ('free_second', 'used', used_free_seconds)
  ) AS books (unit, book, amount)`;

export const RULES: Rule[] = [
  {
    name: 'every balance is the sum of its postings',
    sql: `
      WITH journal AS (${JOURNAL}),
      recomputed AS (
        SELECT account_id, unit, book, sum(amount) AS amount FROM (
          SELECT account_id, unit, CASE WHEN to_book IN ('available', 'held') THEN to_book ELSE 'used' END AS book,
                 amount FROM journal
          UNION ALL
          SELECT account_id, unit, CASE WHEN from_book IN ('available', 'held') THEN from_book ELSE 'credited' END,
                 CASE WHEN from_book IN ('available', 'held') THEN -amount ELSE amount END FROM journal
        ) AS sides GROUP BY account_id, unit, book
      )
      SELECT format('Account %s: %s %s is %s in the balance and %s in the journal.', account_id, book, unit,
                    coalesce(p.amount::text, 'missing'), coalesce(r.amount, 0)) AS problem
        FROM (${PROJECTION}) AS p FULL JOIN recomputed r USING (account_id, unit, book)
       WHERE p.amount IS DISTINCT FROM coalesce(r.amount, 0)
       ORDER BY account_id, unit, book`,
  },
  {
    name: 'all books together sum to zero in each unit',
    sql: `
      SELECT format('The customers'' books and the platform''s sum to %s %s instead of 0.', sum(amount), unit)
             AS problem
        FROM (SELECT unit, amount FROM (${PROJECTION}) AS p WHERE book IN ('available', 'held')
              UNION ALL
              SELECT unit, amount FROM entries WHERE book NOT IN ('available', 'held')) AS every_book
       GROUP BY unit HAVING sum(amount) <> 0 ORDER BY unit`,
  },
  {
    name: 'no customer book is below zero',
    sql: `
      SELECT format('Account %s: %s is below zero: %s %s.', account_id, book, amount, unit) AS problem
        FROM (${PROJECTION}) AS p WHERE amount < 0 ORDER BY account_id`,
  },
  {
    name: 'every transaction has postings of its kind, or none where nothing moved',
    sql: `
      SELECT format('Transaction %s (%s): %s to %s does not belong in it.', t.id, t.kind, p.from_book, p.to_book)
             AS problem
        FROM transactions t JOIN postings p ON p.transaction_id = t.id
       WHERE (t.kind, p.from_book, p.to_book) NOT IN (
               ('open_account', 'free_granted', 'available'), ('top_up', 'top_ups', 'available'),
               ('adjustment', 'adjustments', 'available'),
               ('hold', 'available', 'held'), ('raise_hold', 'available', 'held'), ('capture', 'available', 'held'),
               ('capture', 'held', 'revenue'), ('capture', 'held', 'free_used'), ('capture', 'held', 'available'),
               ('release', 'held', 'available'))
       ORDER BY t.id`,
  },
  {
    name: 'a hold is what was captured and what was released, and the journal says the same',
    sql: `
      WITH journal AS (
        SELECT job_id, unit,
               coalesce(sum(amount) FILTER (WHERE to_book = 'held'), 0) AS held,
               coalesce(sum(amount) FILTER (WHERE to_book IN ('revenue', 'free_used')), 0) AS captured,
               coalesce(sum(amount) FILTER (WHERE to_book = 'available'), 0) AS released
          FROM (${JOURNAL}) AS j WHERE job_id IS NOT NULL GROUP BY job_id, unit
      ), stated AS (
        SELECT job_id, state, unit, held,
               CASE WHEN state = 'captured' THEN captured ELSE 0 END AS captured,
               CASE state WHEN 'captured' THEN held - captured WHEN 'released' THEN held ELSE 0 END AS released
          FROM holds CROSS JOIN LATERAL (VALUES ('micro_aud', held_micro_aud, charged_micro_aud),
                                                ('free_second', free_seconds, captured_free_seconds)
          ) AS parts (unit, held, captured)
      )
      SELECT format('Job %s (%s): held %s, captured %s, released %s %s by its hold, but %s, %s, %s by the journal.',
                    job_id, coalesce(s.state, 'no hold'), coalesce(s.held, 0), coalesce(s.captured, 0),
                    coalesce(s.released, 0), unit, coalesce(j.held, 0), coalesce(j.captured, 0),
                    coalesce(j.released, 0)) AS problem
        FROM stated s FULL JOIN journal j USING (job_id, unit)
       WHERE (coalesce(s.held, 0), coalesce(s.captured, 0), coalesce(s.released, 0))
             <> (coalesce(j.held, 0), coalesce(j.captured, 0), coalesce(j.released, 0))
       ORDER BY job_id, unit`,
  },
  {
    name: 'every hold was booked for its own account, and settled by the transaction that its state names',
    sql: `
      SELECT format('Job %s: its hold is %s for account %s, but no such transaction is in the journal.', h.job_id,
                    h.state, h.account_id) AS problem
        FROM holds h
       WHERE NOT EXISTS (SELECT FROM transactions t WHERE t.kind = 'hold' AND t.reference = h.job_id::text
                            AND t.account_id = h.account_id)
          OR (h.state = 'captured') <> EXISTS (SELECT FROM transactions t WHERE t.kind = 'capture'
                            AND t.reference = h.job_id::text AND t.account_id = h.account_id)
          OR (h.state = 'released') <> EXISTS (SELECT FROM transactions t WHERE t.kind = 'release'
                            AND t.reference = h.job_id::text AND t.account_id = h.account_id)
       ORDER BY h.job_id`,
  },
  {
    name: 'the held book is the sum of the open holds',
    sql: `
      SELECT format('Account %s: %s micro_aud and %s free_second are held, but its open holds are %s and %s.',
                    b.account_id, b.held_micro_aud, b.held_free_seconds, coalesce(h.micro_aud, 0),
                    coalesce(h.free_seconds, 0)) AS problem
        FROM balances b LEFT JOIN (
             SELECT account_id, sum(held_micro_aud) AS micro_aud, sum(free_seconds) AS free_seconds
               FROM holds WHERE state = 'pending' GROUP BY account_id) AS h USING (account_id)
       WHERE (b.held_micro_aud, b.held_free_seconds) <> (coalesce(h.micro_aud, 0), coalesce(h.free_seconds, 0))
       ORDER BY b.account_id`,
  },
  {
    name: 'the balance after every transaction is the sum of the movements up to it',
    sql: `
      SELECT format('Transaction %s: it says that %s micro_aud and %s free_second were left, and the journal %s and %s.',
                    id, balance_after_micro_aud, free_seconds_after, micro_aud, free_seconds) AS problem
        FROM (SELECT t.id, t.balance_after_micro_aud, t.free_seconds_after,
                     sum(coalesce(m.topped_up_micro_aud + m.adjusted_micro_aud - m.used_micro_aud, 0)) OVER by_id
                       AS micro_aud,
                     sum(coalesce(m.granted_free_seconds - m.used_free_seconds, 0)) OVER by_id AS free_seconds
                FROM transactions t LEFT JOIN movements m ON m.transaction_id = t.id
              WINDOW by_id AS (PARTITION BY t.account_id ORDER BY t.id)) AS running
       WHERE (balance_after_micro_aud, free_seconds_after) <> (micro_aud, free_seconds)
       ORDER BY id`,
  },
  {
    name: 'the totals of a month are the sums of its transactions',
    sql: `
      WITH stated AS (
        SELECT account_id, month, jsonb_object_agg(name, amount ORDER BY name) FILTER (WHERE amount <> '0') AS sums
          FROM monthly_totals m, jsonb_each_text(to_jsonb(m) - '{account_id,month}'::text[]) AS each (name, amount)
         GROUP BY 1, 2
      ), recomputed AS (
        SELECT account_id, month, jsonb_object_agg(name, amount ORDER BY name) FILTER (WHERE amount <> '0') AS sums
          FROM monthly_journal j, jsonb_each_text(to_jsonb(j) - '{account_id,month}'::text[]) AS each (name, amount)
         GROUP BY 1, 2
      )
      SELECT format('Account %s: the totals of %s are %s, and by the journal %s.', account_id,
                    to_char(month, 'YYYY-MM'), coalesce(s.sums, '{}'), coalesce(r.sums, '{}')) AS problem
        FROM stated s FULL JOIN recomputed r USING (account_id, month)
       WHERE coalesce(s.sums, '{}') <> coalesce(r.sums, '{}')
       ORDER BY account_id, month`,
  },
  {
    name: 'every paid top-up is booked',
    sql: `
      SELECT format('Top-up %s: %s micro_aud were paid for account %s, but no such transaction is in the journal.',
                    u.id, u.amount_micro_aud, u.account_id) AS problem
        FROM top_ups u
       WHERE u.state = 'paid' AND NOT EXISTS (
             SELECT FROM transactions t JOIN postings p ON p.transaction_id = t.id
              WHERE t.kind = 'top_up' AND t.reference = 'stripe:' || u.session_id AND t.account_id = u.account_id
                AND p.amount = u.amount_micro_aud)
       ORDER BY u.id`,
  },
  {
    name: 'the usage of a month is the sum of its captures',
    sql: `
      WITH captures AS (
        SELECT account_id, sydney_month(captured_at) AS month,
               sum(captured_free_seconds + captured_paid_seconds) AS seconds
          FROM holds WHERE state = 'captured' GROUP BY 1, 2)
      SELECT format('Account %s: the usage of %s is %s seconds, but its captures are %s seconds.', account_id,
                    to_char(month, 'YYYY-MM'), coalesce(u.captured_seconds, 0), coalesce(c.seconds, 0)) AS problem
        FROM monthly_totals u FULL JOIN captures c USING (account_id, month)
       WHERE coalesce(u.captured_seconds, 0) <> coalesce(c.seconds, 0)
       ORDER BY account_id, month`,
  },
];
