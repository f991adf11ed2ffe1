import type { Startup } from '@currawong/telemetry';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource, rows, type DatabaseOptions } from './data-source';
import { unreachable } from './unreachable';

/**
 * Opens the database as soon as it can be reached and knows every migration of this build; until then `startup` says what
 * is missing. Migrations that this build does not know are fine: during an upgrade, and after one was taken back, replicas
 * of the older release work on the newer schema.
 * @throws the reason of the start's signal
 */
export async function openMigrated(options: DatabaseOptions, startup: Startup): Promise<DataSource> {
  let opened: DataSource | undefined;
  try {
    await startup.waitFor('the database', async () => {
      try {
        opened ??= await createDataSource(options).initialize();
        const names = await missingMigrations(opened, options);
        return names.length === 0 ? undefined : behind(options.schema, names);
      } catch (error) {
        return unreachable(error);
      }
    });
  } catch (error) {
    await opened?.destroy().catch(() => undefined);
    throw error;
  }
  return opened!;
}

/** Migrations of this build that the schema has not had yet; all of them where there is no schema. */
async function missingMigrations(source: DataSource, options: DatabaseOptions): Promise<string[]> {
  const names = options.migrations.map(({ name }) => name);
  const table = `${options.schema}.migrations`;
  const [present] = await rows<{ there: boolean }>(source, 'SELECT to_regclass($1) IS NOT NULL AS there', [
    table,
  ]);
  if (!present?.there) return names;
  const done = await rows<{ name: string }>(source, `SELECT name FROM ${table}`);
  const had = new Set(done.map(({ name }) => name));
  return names.filter((name) => !had.has(name));
}

function behind(schema: string, names: string[]): string {
  const which = names.length === 1 ? names[0] : `${names.length} migrations, ${names[0]} first`;
  return `The database schema ${schema} is older than this release: it lacks ${which}. Run \`node ${migrationProgram()}\`, or wait for the migration Job.`;
}

/** The program beside the one that runs, as one would call it from here. */
function migrationProgram(): string {
  const beside = join(dirname(process.argv[1] ?? ''), 'migrate.js');
  return existsSync(beside) ? relative(process.cwd(), beside) : 'migrate.js';
}
