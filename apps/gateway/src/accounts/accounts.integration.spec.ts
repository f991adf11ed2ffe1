import { createDataSource, migrate, rows, type DataSource } from '@currawong/database';
import type { Requester } from '@currawong/messaging';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import { Accounts } from './accounts';
import { audit, OPERATOR } from './audit/audit-log';
import { ACCOUNTS_SCHEMA } from './database';
import type { Keys } from './keys/keys';
import type { Sessions } from './sessions/sessions';
import type { ServiceSettings } from './settings/service-settings';

let database: FreshDatabase;
let source: DataSource;
let accounts: Accounts;
beforeAll(async () => {
  database = await freshDatabase();
  await migrate({ ...ACCOUNTS_SCHEMA, url: database.url });
  source = await createDataSource({ ...ACCOUNTS_SCHEMA, url: database.url }).initialize();
  accounts = new Accounts(source, {} as Requester, {} as Keys, {} as Sessions, {} as ServiceSettings);
});
afterAll(async () => {
  await source?.destroy();
  await database?.drop();
});

it('an account that is locked may be written of in its audit log: a sign-out waits for nobody', async () => {
  const id = uuidv7();
  await source.query('INSERT INTO accounts (id, email) VALUES ($1, $2)', [id, `${id}@example.com`]);
  await source.transaction(async (manager) => {
    expect(await accounts.lock(manager, id)).toMatchObject({ id });
    await audit(source, id, 'signed_out', OPERATOR);
  });
  expect(await rows(source, 'SELECT action FROM audit_log WHERE account_id = $1', [id])).toEqual([
    { action: 'signed_out' },
  ]);
});
