import type { SqlMigration } from '@currawong/database';

export const accounts0001: SqlMigration = {
  name: 'Accounts1763700000001',
  sql: `
  CREATE TABLE accounts (
    id          uuid PRIMARY KEY,
    email       text NOT NULL CHECK (email = lower(email)),
    state       text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'closed')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_account_per_email UNIQUE (email)
  );

  CREATE TABLE api_keys (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts,
    name        text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('live', 'test')),
    -- SHA-256 of the whole key. The key has 190 bits of its own randomness, so it needs no salt and no slow hash.
    key_hash    bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
    prefix      text NOT NULL,
    last_four   text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    revoked_at  timestamptz
  );
  CREATE INDEX api_keys_of_account ON api_keys (account_id, created_at);
  `,
};
