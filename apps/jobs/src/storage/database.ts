import type { DatabaseOptions } from '@currawong/database';
import { jobs0001 } from './migrations/0001-jobs';
import { resources0002 } from './migrations/0002-resources';
import { settingsRevision0003 } from './migrations/0003-settings-revision';
import { queuedAt0004 } from './migrations/0004-queued-at';
import { speech0005 } from './migrations/0005-speech';
import { rediarizing0006 } from './migrations/0006-rediarizing';
import { announcements0007 } from './migrations/0007-announcements';
import { idempotency0008 } from './migrations/0008-idempotency';
import { deletions0009 } from './migrations/0009-deletions';
import { fairDispatch0010 } from './migrations/0010-fair-dispatch';
import { indexes0011 } from './migrations/0011-indexes';

/** Everything about the schema `jobs` but the address and the size of the pool. */
export const JOBS_SCHEMA = {
  schema: 'jobs',
  migrations: [
    ...[jobs0001, resources0002, settingsRevision0003, queuedAt0004, speech0005, rediarizing0006],
    announcements0007,
    idempotency0008,
    deletions0009,
    fairDispatch0010,
    indexes0011,
  ],
} satisfies Omit<DatabaseOptions, 'url'>;
