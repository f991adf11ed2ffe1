import type { SqlMigration } from '@currawong/database';

/** A choice that arrives late must not replace a newer one. */
export const settingsRevision0003: SqlMigration = {
  name: 'SettingsRevision1763700000003',
  sql: `
  -- Which of the account's choices this is, as the gateway counts them. Unlike \`revision\`, which counts our own changes.
  ALTER TABLE account_settings ADD COLUMN chosen_revision bigint NOT NULL DEFAULT 0;
  `,
};
