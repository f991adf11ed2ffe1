import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { createDataSource, migrate, rows } from './data-source';

const TABLE = { name: 'Shop1763700000001', sql: 'CREATE TABLE sales (id integer, amount integer)' };
const INDEXES = {
  name: 'Indexes1763700000002',
  indexes: { sales_by_id: 'ON sales (id)', sales_by_amount: 'ON sales (amount) WHERE amount > 0' },
};
const BEFORE = { schema: 'shop', migrations: [TABLE] };
const AFTER = { schema: 'shop', migrations: [TABLE, INDEXES] };

let database: FreshDatabase;
let source: DataSource;
beforeEach(async () => {
  database = await freshDatabase();
  await migrate({ ...BEFORE, url: database.url });
  source = await createDataSource({ ...BEFORE, url: database.url }).initialize();
  await source.query('INSERT INTO sales SELECT n, 1 FROM generate_series(1, 1000) n');
});
afterEach(async () => {
  await source?.destroy();
  await database?.drop();
});

const indexes = () =>
  rows<{ name: string; valid: boolean }>(
    source,
    `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
      WHERE indrelid = 'sales'::regclass ORDER BY 1`,
  );
const BUILT = [
  { name: 'sales_by_amount', valid: true },
  { name: 'sales_by_id', valid: true },
];

it('an index is built while others write, and waits for their transactions instead of making them wait', async () => {
  let migrated: Promise<string[]> | undefined;
  await source.transaction(async (manager) => {
    await manager.query('INSERT INTO sales VALUES (0, 0)');
    migrated = migrate({ ...AFTER, url: database.url });
    for (;;) {
      const [waiting] = await rows(
        source,
        "SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'",
      );
      if (waiting) break;
      await sleep(20);
    }
    // Neither waits for the build, which waits for this transaction.
    await source.query('INSERT INTO sales VALUES (2000, 1)');
    await manager.query('UPDATE sales SET amount = 2 WHERE id = 0');
  });
  await migrated;
  expect(await indexes()).toEqual(BUILT);
}, 30_000);

it('replicas that migrate at once do not wait for each other for ever', async () => {
  const done = await Promise.all([1, 2, 3].map(() => migrate({ ...AFTER, url: database.url })));
  expect(done.flat()).toEqual([INDEXES.name]);
  expect(await indexes()).toEqual(BUILT);
}, 30_000);

it('what an end in the middle has left is built anew', async () => {
  await source.query('INSERT INTO sales VALUES (1, 1)');
  // A build that fails leaves its index behind, invalid.
  await expect(source.query('CREATE UNIQUE INDEX CONCURRENTLY sales_by_id ON sales (id)')).rejects.toThrow();
  await source.query('CREATE INDEX sales_by_amount ON sales (amount) WHERE amount > 0');
  expect(await indexes()).toContainEqual({ name: 'sales_by_id', valid: false });
  await migrate({ ...AFTER, url: database.url });
  expect(await indexes()).toEqual(BUILT);
});
