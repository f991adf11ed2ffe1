import { row, type DataSource, type EntityManager } from '@currawong/database';
import { createHash, randomBytes } from 'node:crypto';

/** What the link in a mail is for. */
export type MailPurpose = 'confirm_email' | 'reset_password';

/** A token for a link; only its hash is stored. */
export async function issueMailToken(
  manager: EntityManager,
  accountId: string,
  purpose: MailPurpose,
  validHours: number,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await manager.query(
    `INSERT INTO mail_tokens (token_hash, account_id, purpose, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(hours => $4))`,
    [hash(token), accountId, purpose, validHours],
  );
  return token;
}

/** @returns whose token this is, while it is good; undefined for any other */
export async function accountOfMailToken(
  on: DataSource | EntityManager,
  token: string,
  purpose: MailPurpose,
): Promise<string | undefined> {
  const found = await row<{ account_id: string }>(
    on,
    'SELECT account_id FROM mail_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > now()',
    [hash(token), purpose],
  );
  return found?.account_id;
}

/** Uses a token up. @returns whose it was; undefined where it is not good, or somebody else has just used it */
export async function takeMailToken(
  manager: EntityManager,
  token: string,
  purpose: MailPurpose,
): Promise<string | undefined> {
  const taken = await row<{ account_id: string }>(
    manager,
    `DELETE FROM mail_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > now() RETURNING account_id`,
    [hash(token), purpose],
  );
  return taken?.account_id;
}

/** Links that were sent before are worth nothing any more. */
export async function revokeMailTokens(
  manager: EntityManager,
  accountId: string,
  purpose: MailPurpose,
): Promise<void> {
  await manager.query('DELETE FROM mail_tokens WHERE account_id = $1 AND purpose = $2', [accountId, purpose]);
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
