import type { SubjectPermissions } from '@currawong/contracts';
import { createUserSeed, publicKeyOf } from '@currawong/messaging';
import { randomBytes } from 'node:crypto';

/** Each service's role in Postgres, and the schema that it owns. */
export const SCHEMAS = { gateway: 'accounts', jobs: 'jobs', billing: 'billing' } as const;

const DATABASE_NAME = 'currawong';

const SERVICES = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];

/** A Postgres address for each service that has a database, every one with a role and password of its own. */
export function newDatabaseUrls(host: string): Record<string, string> {
  return Object.fromEntries(
    SERVICES.map((service) => [
      service,
      `postgres://${service}:${newPassword()}@${host}:5432/${DATABASE_NAME}`,
    ]),
  );
}

export function newNatsSeeds(users: readonly string[]): Record<string, string> {
  return Object.fromEntries(users.map((user) => [user, createUserSeed()]));
}

export function newStoreKeys(): Record<string, string> {
  return { 'access-key': `currawong${randomBytes(6).toString('hex')}`, 'secret-key': newPassword() };
}

/** 192 random bits, of characters that need no escaping anywhere. */
export function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/**
 * What the superuser runs in the services' database whenever the server starts: a role for each service, which owns its
 * schema and sees nobody else's. Repeatable, and one statement a line, so that `postgres --single` takes it as well as psql.
 * @param urls of the services, from which role, password and database are taken
 */
export function rolesSql(urls: Readonly<Record<string, string>>): string {
  const owners = SERVICES.map((service) => ({ ...ownerFrom(urls[service] ?? ''), schema: SCHEMAS[service] }));
  const databases = new Set(owners.map(({ database }) => database));
  return [
    ...[...databases].map((database) => `REVOKE ALL ON DATABASE ${database} FROM PUBLIC;`),
    ...owners.flatMap(({ role, password, database, schema }) => [
      `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;`,
      `ALTER ROLE ${role} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD ${password};`,
      // CREATE on the database too: `CREATE SCHEMA IF NOT EXISTS` asks for it even where the schema is there.
      `GRANT CONNECT, CREATE ON DATABASE ${database} TO ${role};`,
      `CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${role};`,
    ]),
    '',
  ].join('\n\n');
}

/** Role, password and database of a Postgres address, quoted for SQL. */
function ownerFrom(url: string): { role: string; password: string; database: string } {
  const { username, password, pathname } = new URL(url);
  return {
    role: identifier(decodeURIComponent(username)),
    password: literal(decodeURIComponent(password)),
    database: identifier(decodeURIComponent(pathname.slice(1))),
  };
}

/** The part of the NATS server's configuration that says who may do what; users are named by their public keys. */
export function natsAuthorization(
  seeds: Readonly<Record<string, string>>,
  permissions: Readonly<Record<string, SubjectPermissions>>,
): string {
  const users = Object.entries(permissions).map(([user, { publish, subscribe }]) => {
    const allowed = (subjects: readonly string[]) => `{ allow: ${JSON.stringify(subjects)} }`;
    return [
      `    # ${user}`,
      `    { nkey: ${publicKeyOf(seeds[user] ?? '')}, permissions: {`,
      `        publish: ${allowed(publish.allow)}`,
      `        subscribe: ${allowed(subscribe.allow)}`,
      '    } }',
    ].join('\n');
  });
  return `authorization {\n  users = [\n${users.join('\n')}\n  ]\n}\n`;
}

function identifier(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
