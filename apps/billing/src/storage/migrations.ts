import type { SqlMigration } from '@currawong/database';
import { statements0002 } from './migrations/0002-statements';
import { payments0003 } from './migrations/0003-payments';
import { settingsRevision0004 } from './migrations/0004-settings-revision';

/**
 * The books. What the pure ledger decides is written here once more as constraints, so that a defect of ours ends in
 * an error and never in wrong money: no balance below zero, nothing out of nothing, a journal that cannot be rewritten.
 */
const BOOKS: SqlMigration = {
  name: 'Books1763690400000',
  sql: `
  -- One row per customer account: the projection of its postings, and the row that a change of its books locks.
  CREATE TABLE balances (
    account_id              uuid PRIMARY KEY,
    available_micro_aud     bigint NOT NULL DEFAULT 0 CHECK (available_micro_aud >= 0),
    held_micro_aud          bigint NOT NULL DEFAULT 0 CHECK (held_micro_aud >= 0),
    credited_micro_aud      bigint NOT NULL DEFAULT 0,
    used_micro_aud          bigint NOT NULL DEFAULT 0 CHECK (used_micro_aud >= 0),
    available_free_seconds  bigint NOT NULL DEFAULT 0 CHECK (available_free_seconds >= 0),
    held_free_seconds       bigint NOT NULL DEFAULT 0 CHECK (held_free_seconds >= 0),
    credited_free_seconds   bigint NOT NULL DEFAULT 0,
    used_free_seconds       bigint NOT NULL DEFAULT 0 CHECK (used_free_seconds >= 0),
    opened_at               timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT every_micro_aud_is_somewhere
      CHECK (credited_micro_aud = available_micro_aud + held_micro_aud + used_micro_aud),
    CONSTRAINT every_free_second_is_somewhere
      CHECK (credited_free_seconds = available_free_seconds + held_free_seconds + used_free_seconds)
  ) WITH (fillfactor = 70); -- room on the page, so that a changed balance needs no new index entry

  -- What happened, once each: the reference makes a repetition visible, the hash of the input makes it comparable.
  CREATE TABLE transactions (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN
                  ('open_account', 'top_up', 'adjustment', 'hold', 'raise_hold', 'capture', 'release')),
    reference   text NOT NULL,
    input_hash  bytea,
    account_id  uuid NOT NULL REFERENCES balances,
    job_id      uuid,
    reason      text,
    booked_at   timestamptz NOT NULL,
    CONSTRAINT booked_once UNIQUE (kind, reference),
    CONSTRAINT credit_has_a_hash_and_a_reason
      CHECK ((kind IN ('top_up', 'adjustment')) = (input_hash IS NOT NULL)
             AND (kind NOT IN ('top_up', 'adjustment') OR reason IS NOT NULL)),
    CONSTRAINT holds_name_their_job
      CHECK ((kind IN ('hold', 'raise_hold', 'capture', 'release')) = (job_id IS NOT NULL))
  );

  -- Double entry with both sides in one row. Only the movements of the chart of accounts are possible.
  CREATE TABLE postings (
    transaction_id  bigint NOT NULL REFERENCES transactions,
    line            smallint NOT NULL,
    from_book       text NOT NULL,
    to_book         text NOT NULL,
    unit            text NOT NULL,
    amount          bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (transaction_id, line),
    CONSTRAINT in_the_chart_of_accounts CHECK ((from_book, to_book, unit) IN (
      ('top_ups',      'available', 'micro_aud'),
      ('adjustments',  'available', 'micro_aud'),
      ('free_granted', 'available', 'free_second'),
      ('available',    'held',      'micro_aud'),   ('available', 'held',      'free_second'),
      ('held',         'available', 'micro_aud'),   ('held',      'available', 'free_second'),
      ('held',         'revenue',   'micro_aud'),   ('held',      'free_used', 'free_second')))
  );

  -- The two entries of every posting, as a bookkeeper adds them up.
  CREATE VIEW entries AS
    SELECT transaction_id, line, from_book AS book, unit, -amount AS amount FROM postings
    UNION ALL
    SELECT transaction_id, line, to_book, unit, amount FROM postings;

  CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the journal is append-only: % on % is not allowed', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation', HINT = 'Book a transaction that puts it right.';
  END $$;
  -- Triggers and not REVOKE: they also stop the tables' owner, who is the only user there may be.
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON transactions
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON postings
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER never_emptied BEFORE TRUNCATE ON transactions EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER never_emptied BEFORE TRUNCATE ON postings EXECUTE FUNCTION refuse_rewriting();

  -- Credit set aside for a job. The price is the job's own; amounts follow from seconds and price, rounded half up.
  CREATE TABLE holds (
    job_id                      uuid PRIMARY KEY,
    account_id                  uuid NOT NULL REFERENCES balances,
    state                       text NOT NULL CHECK (state IN ('pending', 'captured', 'released')),
    price_per_minute_micro_aud  bigint NOT NULL CHECK (price_per_minute_micro_aud >= 0),
    free_seconds                bigint NOT NULL CHECK (free_seconds >= 0),
    paid_seconds                bigint NOT NULL CHECK (paid_seconds >= 0),
    held_micro_aud              bigint NOT NULL,
    captured_free_seconds       bigint,
    captured_paid_seconds       bigint,
    charged_micro_aud           bigint,
    captured_at                 timestamptz,
    release_reason              text,
    released_at                 timestamptz,
    placed_at                   timestamptz NOT NULL,
    CONSTRAINT held_at_its_price
      CHECK (held_micro_aud = (paid_seconds * price_per_minute_micro_aud + 30) / 60),
    CONSTRAINT charged_at_its_price
      CHECK (charged_micro_aud = (captured_paid_seconds * price_per_minute_micro_aud + 30) / 60),
    CONSTRAINT captured_within_the_hold
      CHECK (captured_free_seconds BETWEEN 0 AND free_seconds AND captured_paid_seconds BETWEEN 0 AND paid_seconds),
    -- Both ways: a captured hold has all of its charge, and no other hold has any of it.
    CONSTRAINT captured_has_its_charge
      CHECK (CASE WHEN state = 'captured'
             THEN num_nulls(captured_free_seconds, captured_paid_seconds, charged_micro_aud, captured_at) = 0
             ELSE num_nonnulls(captured_free_seconds, captured_paid_seconds, charged_micro_aud, captured_at) = 0 END),
    CONSTRAINT released_has_its_reason
      CHECK (CASE WHEN state = 'released'
             THEN num_nulls(release_reason, released_at) = 0
             ELSE num_nonnulls(release_reason, released_at) = 0 END)
  );
  -- The gauge and the ledger check ask for open holds only, however many jobs there have been.
  CREATE INDEX open_holds ON holds (placed_at) WHERE state = 'pending';

  -- The calendar month of a moment where our customers live; its first day stands for it.
  CREATE FUNCTION sydney_month(moment timestamptz) RETURNS date LANGUAGE sql STABLE
    RETURN date_trunc('month', moment AT TIME ZONE 'Australia/Sydney')::date;

  -- Captured seconds by month, so that asking for the month's usage does not grow with the number of jobs.
  CREATE TABLE monthly_usage (
    account_id        uuid NOT NULL REFERENCES balances,
    month             date NOT NULL CHECK (month = date_trunc('month', month)),
    captured_seconds  bigint NOT NULL CHECK (captured_seconds >= 0),
    PRIMARY KEY (account_id, month)
  );
  `,
};

export const MIGRATIONS: SqlMigration[] = [BOOKS, statements0002, payments0003, settingsRevision0004];
