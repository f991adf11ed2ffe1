import type { SqlMigration } from '@currawong/database';

/** An account chooses for how long its transcripts are kept; what a closed one leaves is erased after a while. */
export const transcriptRetention0006: SqlMigration = {
  name: 'TranscriptRetention1763700000006',
  sql: `
  ALTER TABLE accounts
    -- Null: until they are deleted.
    ADD COLUMN transcript_retention_days integer CHECK (transcript_retention_days BETWEEN 1 AND 3650),
    ADD COLUMN closed_at                 timestamptz;

  -- Nobody noted when those were closed: their time begins now, and jobs is told of them.
  UPDATE accounts SET closed_at = now(), settings_revision = settings_revision + 1 WHERE state = 'closed';
  INSERT INTO settings_to_tell (account_id, revision)
    SELECT id, settings_revision FROM accounts WHERE state = 'closed'
    ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision, next_attempt_at = now();
  `,
};
