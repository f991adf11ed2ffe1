import type { SqlMigration } from '@currawong/database';

/** Jobs can be cancelled and erased, by their owners and by age. */
export const deletions0009: SqlMigration = {
  name: 'Deletions1763700000009',
  sql: `
  -- When it was decided that a job that has ended, or is about to, is erased. From then on it is there for nobody; the row
  -- itself stays, without content, because the ledger refers to it.
  ALTER TABLE jobs ADD COLUMN deleted_at timestamptz;

  -- The receipts: what was deleted, at whose request and when. Kept for ever; nothing in them is content.
  CREATE TABLE deletions (
    job_id        uuid PRIMARY KEY,
    account_id    uuid NOT NULL,
    mode          text NOT NULL CHECK (mode IN ('live', 'test')),
    reason        text NOT NULL CHECK (reason IN ('client', 'retention', 'account_closed')),
    requested_by  text NOT NULL CHECK (requested_by IN ('key', 'session', 'service')),
    key_id        uuid,
    requested_at  timestamptz NOT NULL DEFAULT now(),
    -- When the job was stopped; null where it had ended by itself.
    cancelled_at  timestamptz,
    -- By kind: {"recording": {"count": 1, "bytes": 1280044}}.
    objects       jsonb NOT NULL DEFAULT '{}',
    -- When the store last confirmed that nothing is left.
    erased_at     timestamptz,
    -- How often it has confirmed that, and when it is asked next. Whoever was at the job may store something late.
    looks         integer NOT NULL DEFAULT 0,
    look_at       timestamptz DEFAULT now(),
    CONSTRAINT a_key_asks_by_its_id CHECK ((requested_by = 'key') = (key_id IS NOT NULL))
  );
  CREATE INDEX deletions_of_account ON deletions (account_id, mode, requested_at DESC, job_id);
  CREATE INDEX deletions_to_look_at ON deletions (look_at) WHERE look_at IS NOT NULL;
  CREATE INDEX deletions_unconfirmed ON deletions (requested_at) WHERE erased_at IS NULL;

  ALTER TABLE account_settings
    -- Null: transcripts are kept until they are deleted.
    ADD COLUMN transcript_retention_days integer CHECK (transcript_retention_days BETWEEN 1 AND 3650),
    -- Null for an account that is open.
    ADD COLUMN closed_at timestamptz;
  CREATE INDEX account_settings_erasing ON account_settings (account_id)
    WHERE transcript_retention_days IS NOT NULL OR closed_at IS NOT NULL;
  `,
};
