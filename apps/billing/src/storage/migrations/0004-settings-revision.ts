import type { SqlMigration } from '@currawong/database';

/** A threshold that arrives late must not replace a newer one. */
export const settingsRevision0004: SqlMigration = {
  name: 'SettingsRevision1763690400004',
  sql: `
  -- Which of the account's choices the threshold is, as the gateway counts them; 0: none yet.
  ALTER TABLE balances ADD COLUMN low_balance_revision bigint NOT NULL DEFAULT 0;
  `,
};
