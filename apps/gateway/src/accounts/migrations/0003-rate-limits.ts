import type { SqlMigration } from '@currawong/database';

/** How often each key, session or address has asked in its present window, for all gateways together. */
export const rateLimits0003: SqlMigration = {
  name: 'RateLimits1763700000003',
  sql: `
  -- Unlogged: a count is of no use a minute later, so no request shall wait for it to reach the disk. After a crash of
  -- the database everybody begins a fresh window.
  CREATE UNLOGGED TABLE request_counts (
    scope    text NOT NULL,
    subject  text NOT NULL,
    used     bigint NOT NULL CHECK (used > 0),
    ends_at  timestamptz NOT NULL,
    PRIMARY KEY (scope, subject)
  )
  -- A row is rewritten by every request: room for the copies on its own page keeps the index out of it.
  WITH (fillfactor = 50);
  `,
};
