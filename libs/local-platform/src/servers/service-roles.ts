import { rolesSql, SCHEMA_OWNERS, takeOverSql, type SchemaOwner } from '@currawong/contracts';
import { Client } from 'pg';

/** A Postgres address for each service that has a database. */
export type ServiceUrls = Readonly<Record<SchemaOwner, string>>;

const OWNERS = Object.keys(SCHEMA_OWNERS) as SchemaOwner[];

/**
 * Addresses of the services' roles at the server and database of `adminUrl`.
 * @param suffix tells apart the roles of several databases of one server, which has one set of roles for all
 */
export function serviceUrls(
  adminUrl: string,
  passwordOf: (service: SchemaOwner) => string,
  suffix = '',
): ServiceUrls {
  const urlOf = (service: SchemaOwner) => {
    const url = new URL(adminUrl);
    url.username = service + suffix;
    url.password = encodeURIComponent(passwordOf(service));
    return url.href;
  };
  return Object.fromEntries(OWNERS.map((service) => [service, urlOf(service)])) as ServiceUrls;
}

/** Makes the roles, or brings them up to date, and gives them what is in their schemas. Repeatable. */
export async function makeRoles(adminUrl: string, urls: ServiceUrls): Promise<void> {
  await asAdmin(adminUrl, (client) => client.query(rolesSql(urls) + takeOverSql(urls)));
}

/** Once their database is gone. */
export async function dropRoles(adminUrl: string, urls: ServiceUrls): Promise<void> {
  const roles = Object.values(urls).map((url) => `"${new URL(url).username}"`);
  await asAdmin(adminUrl, (client) => client.query(`DROP ROLE IF EXISTS ${roles.join(', ')}`));
}

/** Roles can be made, and what they shall own be given to them, by a superuser alone. */
export async function isSuperuser(adminUrl: string): Promise<boolean> {
  const { rows } = await asAdmin(adminUrl, (client) =>
    client.query<{ rolsuper: boolean }>('SELECT rolsuper FROM pg_roles WHERE rolname = current_user'),
  );
  return rows[0]?.rolsuper ?? false;
}

async function asAdmin<T>(adminUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
