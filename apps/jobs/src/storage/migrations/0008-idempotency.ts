import type { SqlMigration } from '@currawong/database';

export const idempotency0008: SqlMigration = {
  name: 'Idempotency1763700000008',
  sql: `
  -- Which job a client's Idempotency-Key stands for. No reference to the job: a receipt is repeated although its job was
  -- deleted since.
  CREATE TABLE idempotency_keys (
    account_id   uuid NOT NULL,
    mode         text NOT NULL CHECK (mode IN ('live', 'test')),
    key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    -- SHA-256 of what was asked for, in hexadecimal.
    fingerprint  text NOT NULL,
    job_id       uuid NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    -- Null while the job is being submitted; the key is kept from here on.
    accepted_at  timestamptz,
    -- When the receipt was given to another request as well: then the job is not undone because the first one failed.
    shared_at    timestamptz,
    PRIMARY KEY (account_id, mode, key),
    CONSTRAINT shared_is_accepted CHECK (shared_at IS NULL OR accepted_at IS NOT NULL)
  );
  CREATE INDEX idempotency_keys_of_job ON idempotency_keys (job_id);
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (accepted_at, created_at);

  ALTER TABLE jobs
    -- Of a recording that its client puts into the store itself: the store's id of it, and how long it was said to be.
    ADD COLUMN store_upload_id  text,
    ADD COLUMN declared_bytes   bigint,
    -- As what such a recording was submitted first: its price is held once, so it cannot become something dearer.
    ADD COLUMN hold_option      text;
  `,
};
