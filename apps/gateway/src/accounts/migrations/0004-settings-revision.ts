import type { SqlMigration } from '@currawong/database';

/** A question to another service that timed out may be handled after the next one: the newer settings must stay. */
export const settingsRevision0004: SqlMigration = {
  name: 'SettingsRevision1763700000004',
  sql: `
  -- Raised by every change of a setting that billing and jobs act on; above what they begin with, which is 0.
  ALTER TABLE accounts ADD COLUMN settings_revision bigint NOT NULL DEFAULT 1 CHECK (settings_revision > 0);
  -- The account's revision when the row was last written: it goes once that revision has been told.
  ALTER TABLE settings_to_tell ADD COLUMN revision bigint NOT NULL DEFAULT 1;
  `,
};
