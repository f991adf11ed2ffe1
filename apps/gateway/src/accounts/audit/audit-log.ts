import type { AuditEntry, AuditLog } from '@currawong/contracts';
import { rows, type DataSource, type EntityManager } from '@currawong/database';
import { v7 as uuidv7 } from 'uuid';

const PAGE_LENGTH = 20;

/** Who does something, and from where. */
export interface Actor {
  actor: AuditEntry['actor'];
  /** The client's address; null where there is no client. */
  address: string | null;
}

export const OPERATOR: Actor = { actor: 'operator', address: null };

export function holderAt(address: string | null): Actor {
  return { actor: 'holder', address };
}

export type AuditAction =
  | 'account_created'
  | 'account_changed'
  | 'account_suspended'
  | 'account_resumed'
  | 'account_closed'
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'email_confirmed'
  | 'password_changed'
  | 'password_reset_requested'
  | 'identity_linked'
  | 'key_created'
  | 'key_revoked'
  | 'webhook_changed'
  | 'webhook_disabled'
  | 'webhook_secret_shown'
  | 'webhook_secret_rotated';

/**
 * Writes what was done, in the transaction that does it.
 * @param detail more of it in a few words, such as the name of a key; never a secret
 */
export async function audit(
  manager: EntityManager | DataSource,
  accountId: string,
  action: AuditAction,
  { actor, address }: Actor,
  detail: string | null = null,
): Promise<void> {
  await manager.query(
    'INSERT INTO audit_log (id, account_id, action, actor, address, detail) VALUES ($1, $2, $3, $4, $5, $6)',
    [uuidv7(), accountId, action, actor, address, detail],
  );
}

/** A page of an account's log, newest first. @param before the id of an entry: only older ones; null for the newest */
export async function readAuditLog(
  source: DataSource,
  accountId: string,
  before: string | null,
): Promise<AuditLog> {
  const found = await rows<Omit<AuditEntry, 'at'> & { at: Date }>(
    source,
    `SELECT id, at, action, actor, address, detail FROM audit_log
      WHERE account_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT ${PAGE_LENGTH + 1}`,
    [accountId, before],
  );
  const entries = found.slice(0, PAGE_LENGTH).map((entry) => ({ ...entry, at: entry.at.toISOString() }));
  return { entries, next_before: found.length > PAGE_LENGTH ? entries.at(-1)!.id : null };
}
