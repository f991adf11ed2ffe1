import type { DatabaseOptions } from '@currawong/database';
import { jobs0001 } from './migrations/0001-jobs';

/** Everything about the schema `jobs` but the address and the size of the pool. */
export const JOBS_SCHEMA = {
  schema: 'jobs',
  migrations: [jobs0001],
} satisfies Omit<DatabaseOptions, 'url'>;
