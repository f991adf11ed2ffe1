import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type EntityManager, type MigrationInterface } from 'typeorm';

export interface DatabaseOptions {
  url: string;
  /** The service's own schema; made by `migrate` where it is missing. Nobody reads another's. */
  schema: string;
  migrations: SqlMigration[];
  /** Connections at most; 10 where left out. */
  poolSize?: number;
  /** Longest statement; 30 where left out. */
  statementSeconds?: number;
}

const LOCK_SECONDS = 10;

/**
 * A data source whose every connection works in the service's schema, with limits that end a statement, a lock or a
 * forgotten transaction before it can hold up the others (FAULTS: a query outside its transaction's manager would
 * otherwise wait for ever for a pool that its own transaction has emptied).
 */
export function createDataSource(options: DatabaseOptions): DataSource {
  const limit = options.statementSeconds ?? 30;
  return new DataSource({
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    migrations: options.migrations.map(asTypeOrmMigration),
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    poolSize: options.poolSize ?? 10,
    connectTimeoutMS: 5_000,
    extra: {
      options: `-c search_path=${options.schema} -c lock_timeout=${LOCK_SECONDS}s -c idle_in_transaction_session_timeout=30s -c statement_timeout=${limit}s`,
      // Longer than the server's own limit: for a server that does not even answer that.
      query_timeout: (limit + 5) * 1_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    },
  });
}

/** One forward step, written as SQL that a person can read; `name` ends in the 13 digits TypeORM orders by. */
export type SqlMigration = StatementsMigration | IndexesMigration;

/** Runs in one transaction, whose locks on tables stay until its end: no place for an index on a table that may be large. */
interface StatementsMigration {
  name: string;
  sql: string;
}

/** Builds indexes one after the other beside whoever reads and writes the tables, without a transaction around them. */
interface IndexesMigration {
  name: string;
  /** By their names, each from `ON table (…)` on. */
  indexes: Readonly<Record<string, string>>;
}

interface SqlRunner {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

function asTypeOrmMigration(migration: SqlMigration): new () => MigrationInterface {
  const run = class {
    name = migration.name;
    transaction = 'sql' in migration;
    async up(runner: SqlRunner): Promise<void> {
      if ('sql' in migration) await runner.query(migration.sql);
      else await buildIndexes(runner, migration.indexes);
    }
    async down(): Promise<void> {
      throw new Error('Migrations go forward only: write another one.');
    }
  };
  Object.defineProperty(run, 'name', { value: migration.name });
  return run;
}

/** May be repeated after an end in the middle, which leaves an index that is kept up to date but never used. */
async function buildIndexes(runner: SqlRunner, indexes: IndexesMigration['indexes']): Promise<void> {
  // A build waits for the transactions of before it, and nobody who works with the table waits for the build.
  await runner.query('SET lock_timeout = 0');
  try {
    for (const [name, definition] of Object.entries(indexes)) {
      const broken = (await runner.query(
        'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
        [name],
      )) as unknown[];
      if (broken.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ${definition}`);
    }
  } finally {
    await runner.query(`SET lock_timeout = '${LOCK_SECONDS}s'`);
  }
}

/**
 * Brings the schema up to date. Replicas that start together take turns. A migration may take its time, but not wait long
 * for a lock: whoever works with the table would wait behind it.
 */
export async function migrate(options: DatabaseOptions): Promise<string[]> {
  const source = createDataSource({ ...options, poolSize: 2, statementSeconds: MIGRATION_SECONDS });
  await source.initialize();
  const turn = source.createQueryRunner();
  try {
    await takeTurn(turn, options.schema);
    // Asked first, because a role that owns its schema need not be allowed to make one.
    const present = await rows(source, 'SELECT FROM pg_namespace WHERE nspname = $1', [options.schema]);
    if (present.length === 0) await turn.query(`CREATE SCHEMA IF NOT EXISTS ${options.schema}`);
    const done = await source.runMigrations();
    return done.map((migration) => migration.name);
  } finally {
    await turn.query('SELECT pg_advisory_unlock(hashtext($1))', [`migrate ${options.schema}`]);
    await turn.release();
    await source.destroy();
  }
}

const MIGRATION_SECONDS = 900;
const TURN_POLL_MS = 250;

/**
 * Asks again and again: a statement that waited for the lock would be a transaction that is older than an index which the
 * replica before is building, and that build would wait for it.
 */
async function takeTurn(turn: SqlRunner, schema: string): Promise<void> {
  const until = Date.now() + MIGRATION_SECONDS * 1_000;
  for (;;) {
    const [asked] = (await turn.query('SELECT pg_try_advisory_lock(hashtext($1)) AS mine', [
      `migrate ${schema}`,
    ])) as { mine: boolean }[];
    if (asked!.mine) return;
    if (Date.now() > until)
      throw new Error(
        `Another process has been migrating the schema ${schema} for ${MIGRATION_SECONDS} s: see what it waits for.`,
      );
    await sleep(TURN_POLL_MS);
  }
}

/** Rows of one statement, typed by the caller, who wrote the SELECT list beside it. */
export async function rows<Row>(
  on: DataSource | EntityManager,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const answer = await on.query<unknown[]>(sql, parameters);
  // TypeORM answers UPDATE and DELETE with [rows, count], everything else with rows.
  const [first, count] = answer;
  return (answer.length === 2 && Array.isArray(first) && typeof count === 'number' ? first : answer) as Row[];
}

/** The only row, or undefined where the guard in the WHERE clause let none through. */
export async function row<Row>(
  on: DataSource | EntityManager,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row | undefined> {
  return (await rows<Row>(on, sql, parameters))[0];
}
