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

it('notes when an account was closed or opened again by a gateway that does not note it, and has that told', async () => {
  const [closed, opened, noted, active] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await source.query(
    `INSERT INTO accounts (id, email, state, closed_at, settings_revision)
     VALUES ($1, 'b@example.com', 'closed', NULL, 3), ($2, 'c@example.com', 'active', now(), 3),
            ($3, 'd@example.com', 'closed', '2026-01-01', 3), ($4, 'e@example.com', 'suspended', NULL, 3)`,
    [closed, opened, noted, active],
  );
  const housekeeping = new Housekeeping(source, sessionsOn(source));
  await housekeeping.round();
  await housekeeping.round();

  const found = await rows<{ id: string; closed_at: Date | null; settings_revision: string }>(
    source,
    'SELECT id, closed_at, settings_revision FROM accounts WHERE id = ANY($1::uuid[])',
    [[closed, opened, noted, active]],
  );
  const of = (id: string) => found.find((one) => one.id === id)!;
  expect(Math.abs(of(closed).closed_at!.getTime() - Date.now())).toBeLessThan(60_000);
  expect([of(opened).closed_at, of(active).closed_at]).toEqual([null, null]);
  expect(of(noted).closed_at).toEqual(new Date('2026-01-01'));
  expect([closed, opened, noted, active].map((id) => of(id).settings_revision)).toEqual(['4', '4', '3', '3']);
  const told = await rows(source, 'SELECT account_id, revision FROM settings_to_tell ORDER BY account_id');
  expect(told).toEqual([closed, opened].toSorted().map((account_id) => ({ account_id, revision: '4' })));
});

/** Nothing here is told to other gateways. */
function sessionsOn(on: DataSource): Sessions {
  const connection = { onReconnect: () => undefined } as unknown as MessagingConnection;
  return new Sessions({ KEY_CACHE_SECONDS: 0 } as GatewayConfig, on, {} as Notices, connection);
}
