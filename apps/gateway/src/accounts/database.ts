import type { DatabaseOptions } from '@currawong/database';
import { accounts0001 } from './migrations/0001-accounts';

/** Everything about the schema `accounts` but the address and the size of the pool. */
export const ACCOUNTS_SCHEMA = {
  schema: 'accounts',
  migrations: [accounts0001],
} satisfies Omit<DatabaseOptions, 'url'>;
