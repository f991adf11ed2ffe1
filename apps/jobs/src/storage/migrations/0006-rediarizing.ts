import type { SqlMigration } from '@currawong/database';

export const rediarizing0006: SqlMigration = {
  name: 'Rediarizing1763700000006',
  indexes: {
    // A sweep looks for those whose work is gone; there are few at any time.
    jobs_rediarizing: 'ON jobs (id) WHERE diarization_item_id IS NOT NULL',
  },
};
