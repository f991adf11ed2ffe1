import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { testServers } from './test-servers';

export interface FreshDatabase {
  readonly url: string;
  /** Also ends connections that a test has left open. */
  drop(): Promise<void>;
}

/** What a database shall already hold: made once a run, then copied. */
export interface DatabaseTemplate {
  /** For example `jobs`. */
  readonly name: string;
  /** Runs the migrations on an empty database; it must have closed its connections when it settles. */
  readonly prepare: (url: string) => Promise<void>;
}

/** A database of its own for one test file; empty, or a copy of the template. */
export async function freshDatabase(template?: DatabaseTemplate): Promise<FreshDatabase> {
  const { databaseUrl, run } = testServers();
  const name = `currawong_test_${run}_${randomBytes(5).toString('hex')}`;
  await onServer(databaseUrl, async (client) => {
    const from =
      template &&
      (await templateDatabase(client, databaseUrl, `currawong_template_${run}_${template.name}`, template));
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${from ?? 'template0'}`);
  });
  return {
    url: named(databaseUrl, name),
    drop: () =>
      onServer(
        databaseUrl,
        async (client) => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
      ),
  };
}

async function templateDatabase(
  client: Client,
  serverUrl: string,
  name: string,
  template: DatabaseTemplate,
): Promise<string> {
  // Test files run side by side: the first one makes the template, the others wait for it here.
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount) return name;
    const making = `${name}_making`;
    await client.query(`DROP DATABASE IF EXISTS ${making} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${making} TEMPLATE template0`);
    await template.prepare(named(serverUrl, making));
    await client.query(`ALTER DATABASE ${making} RENAME TO ${name}`);
    return name;
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function named(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}
