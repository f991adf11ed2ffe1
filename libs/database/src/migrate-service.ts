import { databaseEnvironment, loadConfiguration } from '@currawong/config';
import { migrate, type DatabaseOptions } from './data-source';

/** The whole of a service's migrate.ts: brings its schema up to date and ends; run before new replicas start. */
export async function migrateService(options: Omit<DatabaseOptions, 'url'>): Promise<void> {
  const { DATABASE_URL } = loadConfiguration(databaseEnvironment);
  try {
    const done = await migrate({ ...options, url: DATABASE_URL });
    console.log(
      `${options.schema}: ${done.length > 0 ? `applied ${done.join(', ')}` : 'schema is up to date'}`,
    );
  } catch (error) {
    console.error(`${options.schema}: migration failed:`, error);
    process.exitCode = 1;
  }
}
