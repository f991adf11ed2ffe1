import type { WebhookSecret } from '@currawong/contracts';
import { row, rows, type DataSource, type EntityManager } from '@currawong/database';
import { v7 as uuidv7 } from 'uuid';
import { newSecret } from './signature';

/** For how long a secret that was replaced signs beside the new one: time to tell all receivers. */
const REPLACED_SIGNS_HOURS = 24;

interface SecretRow {
  account_id: string;
  secret: string;
  created_at: Date;
  expires_at: Date | null;
}

/** Every account that is told anything has a secret, made when it is first needed. */
export async function ensureSecret(on: DataSource | EntityManager, accountId: string): Promise<void> {
  await on.query(
    `INSERT INTO webhook_secrets (id, account_id, secret) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) WHERE expires_at IS NULL DO NOTHING`,
    [uuidv7(), accountId, newSecret()],
  );
}

/** As its holder sees it; there is one after `ensureSecret`. */
export async function currentSecret(
  on: DataSource | EntityManager,
  accountId: string,
): Promise<WebhookSecret> {
  const [current, previous] = await validSecrets(on, [accountId]);
  if (!current || current.expires_at) throw new Error(`account ${accountId} has no webhook secret`);
  return {
    secret: current.secret,
    created_at: current.created_at.toISOString(),
    previous_expires_at: previous?.expires_at?.toISOString() ?? null,
  };
}

/**
 * In a transaction of the caller. What was replaced before, and still signs, no longer does: two are enough to confuse.
 * Of two that rotate at once the second finds the new secret of the first, which is as new as one can be.
 */
export async function rotateSecret(manager: EntityManager, accountId: string): Promise<void> {
  await ensureSecret(manager, accountId);
  const current = await row<{ id: string }>(
    manager,
    'SELECT id FROM webhook_secrets WHERE account_id = $1 AND expires_at IS NULL FOR UPDATE',
    [accountId],
  );
  if (!current) return;
  await manager.query('DELETE FROM webhook_secrets WHERE account_id = $1 AND expires_at IS NOT NULL', [
    accountId,
  ]);
  await manager.query(
    'UPDATE webhook_secrets SET expires_at = now() + make_interval(hours => $2) WHERE id = $1',
    [current.id, REPLACED_SIGNS_HOURS],
  );
  await ensureSecret(manager, accountId);
}

/** The secrets that sign now, the newest first, by account. */
export async function signingSecrets(on: DataSource, accountIds: string[]): Promise<Map<string, string[]>> {
  const found = await validSecrets(on, accountIds);
  const byAccount = Map.groupBy(found, ({ account_id }) => account_id);
  return new Map([...byAccount].map(([id, secrets]) => [id, secrets.map(({ secret }) => secret)]));
}

function validSecrets(on: DataSource | EntityManager, accountIds: string[]): Promise<SecretRow[]> {
  return rows<SecretRow>(
    on,
    `SELECT account_id, secret, created_at, expires_at FROM webhook_secrets
      WHERE account_id = ANY($1::uuid[]) AND (expires_at IS NULL OR expires_at > now())
      ORDER BY expires_at DESC NULLS FIRST`,
    [accountIds],
  );
}
