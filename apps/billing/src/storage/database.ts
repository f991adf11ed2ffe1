import type { DatabaseOptions, DataSource } from '@currawong/database';
import { MIGRATIONS } from './migrations';

/** Everything about the schema `billing` but the address and the size of the pool. */
export const BILLING_SCHEMA = {
  schema: 'billing',
  migrations: MIGRATIONS,
} satisfies Omit<DatabaseOptions, 'url'>;

/** Throws unless the books can be read, which also needs them to have been migrated. */
export async function checkBooksReadable(source: DataSource): Promise<void> {
  await source.query('SELECT FROM balances LIMIT 1');
}
