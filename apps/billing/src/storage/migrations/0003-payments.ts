import { OUTBOX_TABLE_SQL, type SqlMigration } from '@currawong/database';

/** Top-ups that customers start themselves, and the message that a balance is low. */
export const payments0003: SqlMigration = {
  name: 'Payments1763690400003',
  sql: `
  -- One row per attempt to pay. \`starting\` is before the payment provider has given a page, and shown to nobody.
  CREATE TABLE top_ups (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES balances,
    -- Cards know no fractions of a cent.
    amount_micro_aud  bigint NOT NULL CHECK (amount_micro_aud > 0 AND amount_micro_aud % 10000 = 0),
    state             text NOT NULL CHECK (state IN ('starting', 'open', 'paid', 'expired', 'failed')),
    session_id        text CONSTRAINT one_top_up_per_session UNIQUE,
    checkout_url      text,
    -- For the operator: why it failed.
    problem           text,
    created_at        timestamptz NOT NULL DEFAULT now(),
    -- When the provider was last asked about it.
    asked_at          timestamptz,
    paid_at           timestamptz,
    CONSTRAINT beyond_the_start_there_is_a_session CHECK (state IN ('starting', 'failed') OR session_id IS NOT NULL),
    CONSTRAINT payable_only_while_open CHECK (checkout_url IS NULL OR state = 'open'),
    CONSTRAINT paid_has_its_time CHECK ((state = 'paid') = (paid_at IS NOT NULL))
  );
  CREATE INDEX top_ups_of_account ON top_ups (account_id, created_at DESC, id DESC);
  -- The sweep asks for these alone.
  CREATE INDEX unsettled_top_ups ON top_ups (created_at) WHERE state IN ('starting', 'open');

  -- Beside the balance, because each booking compares the two under the balance's lock; null: no message wanted.
  ALTER TABLE balances ADD COLUMN low_balance_threshold_micro_aud bigint
    CHECK (low_balance_threshold_micro_aud > 0);

  ${OUTBOX_TABLE_SQL}
  `,
};
