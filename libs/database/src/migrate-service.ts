import { databaseEnvironment, integerVariable, loadConfiguration } from '@currawong/config';
import { Startup } from '@currawong/telemetry';
import { createDataSource, migrate, type DatabaseOptions } from './data-source';
import { unreachable } from './unreachable';

const migrationEnvironment = databaseEnvironment.extend({
  /** how long a database may take that is not there yet: one that is being started beside this program */
  MIGRATE_WAIT_SECONDS: integerVariable({ min: 0, max: 3_600 }).default(120),
});

/**
 * The whole of a service's migrate.ts: waits for the database, brings its schema up to date and ends; run before new
 * replicas start. Exit code 1 and a sentence where that fails.
 */
export async function migrateService(options: Omit<DatabaseOptions, 'url'>): Promise<void> {
  const { DATABASE_URL, MIGRATE_WAIT_SECONDS } = loadConfiguration(migrationEnvironment);
  // The first process of a container ends by a signal only when it says so itself. What is half done is rolled back.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  const database = { ...options, url: DATABASE_URL };
  try {
    const problem = await untilReachable(database, MIGRATE_WAIT_SECONDS);
    if (problem !== undefined) {
      console.error(
        `${options.schema}: not migrated within MIGRATE_WAIT_SECONDS=${MIGRATE_WAIT_SECONDS}. ${problem}`,
      );
      process.exitCode = 1;
      return;
    }
    const done = await migrate(database);
    console.log(
      `${options.schema}: ${done.length > 0 ? `applied ${done.join(', ')}` : 'schema is up to date'}`,
    );
  } catch (error) {
    console.error(`${options.schema}: migration failed:`, error);
    process.exitCode = 1;
  }
}

/** @returns what is still missing when the time is over; undefined as soon as the database takes connections */
async function untilReachable(database: DatabaseOptions, seconds: number): Promise<string | undefined> {
  const log = {
    warn: (_: object, sentence: string) => console.error(`${database.schema}: ${sentence}`),
    info: () => undefined,
  };
  let problem: string | undefined;
  const connect = async () => {
    const source = createDataSource({ ...database, poolSize: 1 });
    try {
      await source.initialize();
      await source.destroy();
      return (problem = undefined);
    } catch (error) {
      return (problem = unreachable(error));
    }
  };
  if (seconds === 0) return connect();
  const time = AbortSignal.timeout(seconds * 1_000);
  await new Startup(log, time).waitFor('the database', connect).catch((error: unknown) => {
    if (!time.aborted) throw error;
    problem ??= 'The database did not answer.';
  });
  return problem;
}
