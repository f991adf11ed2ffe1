import type { SqlMigration } from '@currawong/database';

/** How long work waits for a worker is measured from when it was queued last, which no column said. */
export const queuedAt0004: SqlMigration = {
  name: 'QueuedAt1763700000004',
  sql: `
  -- Not rewritten: the default of the rows that exist is the moment of this migration. While an upgrade goes round,
  -- processes of before it leave the column as it is when they queue work again: its wait then looks too long.
  ALTER TABLE work_items ADD COLUMN queued_at timestamptz NOT NULL DEFAULT now();
  `,
};
