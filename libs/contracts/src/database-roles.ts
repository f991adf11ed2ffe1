/** Each service that has a database, by its role in Postgres, and the schema that it owns. */
export const SCHEMA_OWNERS = { gateway: 'accounts', jobs: 'jobs', billing: 'billing' } as const;
export type SchemaOwner = keyof typeof SCHEMA_OWNERS;

const OWNERS = Object.keys(SCHEMA_OWNERS) as SchemaOwner[];

/**
 * What a superuser runs in the services' database, whenever it starts: a role for each service, which owns its schema and
 * sees nobody else's. Repeatable, and one statement a line, so that `postgres --single` takes it as well as psql.
 * @param urls of the services, from which role, password and database are taken
 * @throws TypeError where one is missing or no address
 */
export function rolesSql(urls: Readonly<Record<string, string>>): string {
  const owners = OWNERS.map((service) => ({
    ...ownerFrom(urls[service] ?? ''),
    schema: SCHEMA_OWNERS[service],
  }));
  const databases = new Set(owners.map(({ database }) => database));
  return [
    ...[...databases].map((database) => `REVOKE ALL ON DATABASE ${database} FROM PUBLIC;`),
    // Since Postgres 15 nobody may create there; a database that comes from before is brought to the same.
    'REVOKE ALL ON SCHEMA public FROM PUBLIC;',
    ...owners.flatMap(({ role, password, database, schema }) => [
      `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;`,
      `ALTER ROLE ${role} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${password};`,
      // CREATE on the database too: `CREATE SCHEMA IF NOT EXISTS` asks for it even where the schema is there.
      `GRANT CONNECT, CREATE ON DATABASE ${database} TO ${role};`,
      `CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${role};`,
    ]),
    '',
  ].join('\n\n');
}

/**
 * Gives each service what is in its schema already, for a database in which one role owned everything. Besides tables,
 * functions and types there is nothing there that has an owner; what belongs to a table goes with it.
 */
export function takeOverSql(urls: Readonly<Record<string, string>>): string {
  return OWNERS.map((service) => {
    const { role } = ownerFrom(urls[service] ?? '');
    const schema = SCHEMA_OWNERS[service];
    return `
DO $$
DECLARE
  one record;
BEGIN
  ALTER SCHEMA ${schema} OWNER TO ${role};
  FOR one IN SELECT oid::regclass AS name FROM pg_class
              WHERE relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
                AND relowner <> ${literalOf(role)}::regrole LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO ${role}', one.name);
  END LOOP;
  FOR one IN SELECT oid::regclass AS name FROM pg_class c
              WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'S' AND relowner <> ${literalOf(role)}::regrole
                AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')) LOOP
    EXECUTE format('ALTER SEQUENCE %s OWNER TO ${role}', one.name);
  END LOOP;
  FOR one IN SELECT oid::regprocedure AS name FROM pg_proc
              WHERE pronamespace = '${schema}'::regnamespace AND proowner <> ${literalOf(role)}::regrole LOOP
    EXECUTE format('ALTER ROUTINE %s OWNER TO ${role}', one.name);
  END LOOP;
  FOR one IN SELECT oid::regtype AS name FROM pg_type
              WHERE typnamespace = '${schema}'::regnamespace AND typtype IN ('e', 'd')
                AND typowner <> ${literalOf(role)}::regrole LOOP
    EXECUTE format('ALTER TYPE %s OWNER TO ${role}', one.name);
  END LOOP;
END $$;`;
  }).join('\n');
}

/** Role, password and database of a Postgres address, quoted for SQL. */
function ownerFrom(url: string): { role: string; password: string; database: string } {
  const { username, password, pathname } = new URL(url);
  return {
    role: identifier(decodeURIComponent(username)),
    password: literalOf(decodeURIComponent(password)),
    database: identifier(decodeURIComponent(pathname.slice(1))),
  };
}

function identifier(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function literalOf(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
