import { randomBytes } from 'node:crypto';
import { dropRoles, makeRoles, serviceUrls, type ServiceUrls } from '@currawong/local-platform';
import { Client } from 'pg';
import { freshDatabase, type FreshDatabase } from './fresh-database';

let database: FreshDatabase;
let urls: ServiceUrls;

beforeAll(async () => {
  database = await freshDatabase();
  urls = serviceUrls(
    database.url,
    (service) => `it's "${service}" %/:@`,
    `_${randomBytes(4).toString('hex')}`,
  );
});

afterAll(async () => {
  const server = new URL(database.url);
  server.pathname = '/postgres';
  await database.drop();
  await dropRoles(server.href, urls);
});

async function inDatabase(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it('what one role owned becomes the services’, each its own schema, and stays as it is when that is repeated', async () => {
  await inDatabase(
    database.url,
    `CREATE SCHEMA jobs; CREATE SCHEMA billing;
     CREATE TYPE jobs.mood AS ENUM ('well');
     CREATE TABLE jobs.jobs (id bigint GENERATED ALWAYS AS IDENTITY, old serial, mood jobs.mood);
     CREATE SEQUENCE jobs.counter;
     CREATE VIEW jobs.seen AS SELECT id FROM jobs.jobs;
     CREATE FUNCTION jobs.nothing() RETURNS void LANGUAGE sql AS '';
     CREATE TABLE billing.entries (id int); INSERT INTO billing.entries VALUES (7)`,
  );
  await makeRoles(database.url, urls);
  await makeRoles(database.url, urls);
  await inDatabase(
    urls.jobs,
    `INSERT INTO jobs.jobs (mood) VALUES ('well'); SELECT nextval('jobs.counter');
     ALTER TABLE jobs.jobs ADD COLUMN more text; ALTER TYPE jobs.mood ADD VALUE 'ill';
     CREATE OR REPLACE VIEW jobs.seen AS SELECT id FROM jobs.jobs WHERE id > 0;
     DROP FUNCTION jobs.nothing(); CREATE TABLE jobs.another (id int)`,
  );
  expect(await inDatabase(urls.billing, 'SELECT id FROM billing.entries')).toEqual([{ id: 7 }]);
  await expect(inDatabase(urls.jobs, 'SELECT id FROM billing.entries')).rejects.toThrow(
    'permission denied for schema billing',
  );
  await expect(inDatabase(urls.billing, 'SELECT id FROM jobs.jobs')).rejects.toThrow(
    'permission denied for schema jobs',
  );
});

it('no service may put anything where all could find it', async () => {
  for (const url of Object.values(urls))
    await expect(inDatabase(url, 'CREATE TABLE public.trap (id int)')).rejects.toThrow('permission denied');
});
