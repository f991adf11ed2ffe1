import type { SqlMigration } from '@currawong/database';

/** Where the end of a job is announced, and whether that is kept by the process that announces it. */
export const announcements0007: SqlMigration = {
  name: 'Announcements1763700000007',
  sql: `
  -- Nullable and without a default: jobs that have ended already are not announced.
  ALTER TABLE jobs ADD COLUMN webhook_url text, ADD COLUMN announce_at timestamptz;
  -- From when on somebody who asks is told of the job's end; null once it is known to be announced. While an upgrade
  -- goes round, processes of before it do not write the column when they end a job: the default does.
  ALTER TABLE jobs ALTER COLUMN announce_at SET DEFAULT now();
  UPDATE jobs SET announce_at = now() WHERE state NOT IN ('completed', 'failed', 'discarded');
  `,
};
