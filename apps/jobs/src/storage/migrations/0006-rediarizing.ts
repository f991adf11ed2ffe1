import type { SqlMigration } from '@currawong/database';

export const rediarizing0006: SqlMigration = {
  name: 'Rediarizing1763700000006',
  sql: `
  -- A sweep looks for those whose work is gone; there are few at any time.
  CREATE INDEX jobs_rediarizing ON jobs (id) WHERE diarization_item_id IS NOT NULL;
  `,
};
