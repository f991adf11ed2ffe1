import { createDataSource, migrate, rows, type DataSource } from '@currawong/database';
import type { MessagingConnection, Notices } from '@currawong/messaging';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import type { GatewayConfig } from '../config';
import { ACCOUNTS_SCHEMA } from './database';
import { Housekeeping } from './housekeeping';
import { Sessions } from './sessions/sessions';

let database: FreshDatabase;
let source: DataSource;
const account = uuidv7();

beforeAll(async () => {
  database = await freshDatabase();
  await migrate({ ...ACCOUNTS_SCHEMA, url: database.url });
  source = await createDataSource({ ...ACCOUNTS_SCHEMA, url: database.url }).initialize();
  await source.query(`INSERT INTO accounts (id, email) VALUES ($1, 'a@example.com')`, [account]);
});

afterAll(async () => {
  await source?.destroy();
  await database?.drop();
});

it('removes what is over and nothing else', async () => {
  await source.query(
    `INSERT INTO sessions (id, account_id, token_hash, csrf_token, created_at, last_used_at)
     SELECT gen_random_uuid(), $1, sha256(name::bytea), name, now() - created, now() - used
       FROM (VALUES ('in use', interval '29 days', interval '13 days'),
                    ('not used', interval '20 days', interval '15 days'),
                    ('too old', interval '31 days', interval '1 minute')) AS s (name, created, used)`,
    [account],
  );
  await source.query(
    `INSERT INTO mail_tokens (token_hash, account_id, purpose, expires_at)
     SELECT sha256(name::bytea), $1, 'reset_password', now() + left_over
       FROM (VALUES ('good', interval '1 minute'), ('expired', interval '-1 minute')) AS t (name, left_over)`,
    [account],
  );
  await source.query(
    `INSERT INTO oidc_attempts (token_hash, state, nonce, code_verifier, expires_at)
     SELECT sha256(name::bytea), name, '', '', now() + left_over
       FROM (VALUES ('good', interval '1 minute'), ('expired', interval '-1 minute')) AS t (name, left_over)`,
  );
  await source.query(
    `INSERT INTO outgoing_mails (id, account_id, kind, recipient, subject, body, created_at, sent_at)
     SELECT gen_random_uuid(), $1, 'confirm_email', 'a@example.com', name, body, now() - age, sent
       FROM (VALUES ('waiting', 'text', interval '40 days', NULL),
                    ('sent lately', NULL, interval '20 days', now()),
                    ('sent long ago', NULL, interval '40 days', now())) AS m (name, body, age, sent)`,
    [account],
  );

  await new Housekeeping(source, sessionsOn(source)).clean();

  const left = async (what: string, table: string) =>
    (await rows<{ name: string }>(source, `SELECT ${what} AS name FROM ${table} ORDER BY 1`)).map(
      ({ name }) => name,
    );
  expect(await left('csrf_token', 'sessions')).toEqual(['in use']);
  expect(await left(`token_hash = sha256('good')`, 'mail_tokens')).toEqual([true]);
  expect(await left('state', 'oidc_attempts')).toEqual(['good']);
  expect(await left('subject', 'outgoing_mails')).toEqual(['sent lately', 'waiting']);
});

/** Nothing here is told to other gateways. */
function sessionsOn(on: DataSource): Sessions {
  const connection = { onReconnect: () => undefined } as unknown as MessagingConnection;
  return new Sessions({ KEY_CACHE_SECONDS: 0 } as GatewayConfig, on, {} as Notices, connection);
}
