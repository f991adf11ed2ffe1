import type { DatabaseOptions } from '@currawong/database';
import { accounts0001 } from './migrations/0001-accounts';
import { people0002 } from './migrations/0002-people';
import { rateLimits0003 } from './migrations/0003-rate-limits';
import { settingsRevision0004 } from './migrations/0004-settings-revision';
import { webhooks0005 } from './migrations/0005-webhooks';
import { transcriptRetention0006 } from './migrations/0006-transcript-retention';

/** Everything about the schema `accounts` but the address and the size of the pool. */
export const ACCOUNTS_SCHEMA = {
  schema: 'accounts',
  migrations: [
    accounts0001,
    people0002,
    rateLimits0003,
    settingsRevision0004,
    webhooks0005,
    transcriptRetention0006,
  ],
} satisfies Omit<DatabaseOptions, 'url'>;
