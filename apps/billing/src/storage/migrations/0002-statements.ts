import type { SqlMigration } from '@currawong/database';

/**
 * What a statement and the usage of a month need: the balance after each transaction, the month that it belongs to, the
 * sums of each month, and what a job was submitted as. Everything is recomputed from the journal for what is there.
 */
export const statements0002: SqlMigration = {
  name: 'Statements1763690400002',
  sql: `
  ALTER TABLE holds
    ADD COLUMN option text NOT NULL DEFAULT 'transcription' CHECK (option IN ('transcription', 'analysis')),
    ADD COLUMN key_id uuid;
  -- The usage of a month by day and by key.
  CREATE INDEX captured_holds ON holds (account_id, captured_at) WHERE state = 'captured';
  -- Paging through the open ones by job.
  CREATE INDEX open_holds_by_job ON holds (job_id) WHERE state = 'pending';

  -- What each transaction brought to and took from the customer's own books; holds are not among it.
  CREATE VIEW movements AS
    SELECT transaction_id,
           coalesce(sum(amount) FILTER (WHERE from_book = 'top_ups'), 0)::bigint      AS topped_up_micro_aud,
           coalesce(sum(amount) FILTER (WHERE from_book = 'adjustments'), 0)::bigint  AS adjusted_micro_aud,
           coalesce(sum(amount) FILTER (WHERE from_book = 'free_granted'), 0)::bigint AS granted_free_seconds,
           coalesce(sum(amount) FILTER (WHERE to_book = 'revenue'), 0)::bigint        AS used_micro_aud,
           coalesce(sum(amount) FILTER (WHERE to_book = 'free_used'), 0)::bigint      AS used_free_seconds
      FROM postings GROUP BY transaction_id;

  -- The balance is what is available and what is held: what a statement adds up to. The month is settled when a
  -- transaction is booked, so that a statement never changes with a later edition of the time zone rules.
  ALTER TABLE transactions
    ADD COLUMN month date,
    ADD COLUMN balance_after_micro_aud bigint,
    ADD COLUMN free_seconds_after bigint;
  ALTER TABLE transactions DISABLE TRIGGER append_only;
  UPDATE transactions SET month = sydney_month(booked_at),
         balance_after_micro_aud = running.micro_aud, free_seconds_after = running.free_seconds
    FROM (SELECT t.id,
                 sum(coalesce(m.topped_up_micro_aud + m.adjusted_micro_aud - m.used_micro_aud, 0)) OVER by_id
                   AS micro_aud,
                 sum(coalesce(m.granted_free_seconds - m.used_free_seconds, 0)) OVER by_id AS free_seconds
            FROM transactions t LEFT JOIN movements m ON m.transaction_id = t.id
          WINDOW by_id AS (PARTITION BY t.account_id ORDER BY t.id)) AS running
   WHERE running.id = transactions.id;
  ALTER TABLE transactions ENABLE TRIGGER append_only;
  ALTER TABLE transactions
    ALTER COLUMN month SET NOT NULL,
    ALTER COLUMN balance_after_micro_aud SET NOT NULL,
    ALTER COLUMN free_seconds_after SET NOT NULL,
    ADD CONSTRAINT no_balance_below_zero CHECK (balance_after_micro_aud >= 0 AND free_seconds_after >= 0);
  -- A page of a statement is read from here alone, however long the account's history is.
  CREATE INDEX statement_lines ON transactions (account_id, month, id) WHERE kind NOT IN ('hold', 'raise_hold');

  -- The months as the journal has them: what the projection below must say as well.
  CREATE VIEW monthly_journal AS
    SELECT t.account_id, t.month,
           coalesce(sum(h.captured_free_seconds + h.captured_paid_seconds), 0)::bigint AS captured_seconds,
           count(*) FILTER (WHERE t.kind = 'capture')          AS jobs,
           coalesce(sum(m.used_micro_aud), 0)::bigint          AS used_micro_aud,
           coalesce(sum(m.used_free_seconds), 0)::bigint       AS used_free_seconds,
           coalesce(sum(m.topped_up_micro_aud), 0)::bigint     AS topped_up_micro_aud,
           coalesce(sum((m.topped_up_micro_aud + 55000) / 110000), 0)::bigint AS gst_cents,
           coalesce(sum(m.adjusted_micro_aud), 0)::bigint      AS adjusted_micro_aud,
           coalesce(sum(m.granted_free_seconds), 0)::bigint    AS granted_free_seconds
      FROM transactions t
      LEFT JOIN movements m ON m.transaction_id = t.id
      LEFT JOIN holds h ON t.kind = 'capture' AND h.job_id = t.job_id
     GROUP BY t.account_id, t.month;

  -- Totals and opening balances follow from these few rows, so that they do not grow with the number of jobs.
  ALTER TABLE monthly_usage RENAME TO monthly_totals;
  ALTER TABLE monthly_totals
    ADD COLUMN jobs                 bigint NOT NULL DEFAULT 0 CHECK (jobs >= 0),
    ADD COLUMN used_micro_aud       bigint NOT NULL DEFAULT 0 CHECK (used_micro_aud >= 0),
    ADD COLUMN used_free_seconds    bigint NOT NULL DEFAULT 0 CHECK (used_free_seconds >= 0),
    ADD COLUMN topped_up_micro_aud  bigint NOT NULL DEFAULT 0 CHECK (topped_up_micro_aud >= 0),
    ADD COLUMN gst_cents            bigint NOT NULL DEFAULT 0 CHECK (gst_cents >= 0),
    ADD COLUMN adjusted_micro_aud   bigint NOT NULL DEFAULT 0 CHECK (adjusted_micro_aud >= 0),
    ADD COLUMN granted_free_seconds bigint NOT NULL DEFAULT 0 CHECK (granted_free_seconds >= 0);
  DELETE FROM monthly_totals;
  INSERT INTO monthly_totals (account_id, month, captured_seconds, jobs, used_micro_aud, used_free_seconds,
                              topped_up_micro_aud, gst_cents, adjusted_micro_aud, granted_free_seconds)
  SELECT account_id, month, captured_seconds, jobs, used_micro_aud, used_free_seconds,
         topped_up_micro_aud, gst_cents, adjusted_micro_aud, granted_free_seconds
    FROM monthly_journal;
  `,
};
