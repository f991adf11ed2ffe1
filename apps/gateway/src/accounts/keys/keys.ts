import {
  accept,
  AccountKeysChanged,
  refuse,
  type AccountState,
  type ApiKeyBody,
  type KeyMode,
  type Result,
} from '@currawong/contracts';
import { row, rows, DataSource, type EntityManager } from '@currawong/database';
import { Notices } from '@currawong/messaging';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { audit, type Actor } from '../audit/audit-log';
import { describeApiKey, generateApiKey, hashApiKey } from './api-key';

export const MAX_UNREVOKED_KEYS = 3;
/** Older ones stay in the audit log. */
export const REVOKED_KEYS_SHOWN = 100;

interface KeyRecord {
  id: string;
  account_id: string;
  name: string;
  mode: KeyMode;
  prefix: string;
  last_four: string;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** Whom a valid key speaks for. */
export interface KeyOwner {
  keyId: string;
  accountId: string;
  mode: KeyMode;
  accountState: AccountState;
}

/** A key just made: the only time that it is whole. */
export type NewKey = ApiKeyBody & { api_key: string };

/** The API keys of accounts. Whatever ends a key is told to every gateway. */
@Injectable()
export class Keys {
  constructor(
    private readonly source: DataSource,
    private readonly notices: Notices,
  ) {}

  /**
   * Refuses a fourth unrevoked key, also when several are asked for at once.
   * @param sessionId in which it is asked for: one that has ended meanwhile gets none; null for the operator
   */
  create(
    accountId: string,
    name: string,
    mode: KeyMode,
    by: Actor,
    sessionId: string | null = null,
  ): Promise<Result<NewKey>> {
    return this.source.transaction(async (manager) => {
      const account = await row<{ state: AccountState }>(
        manager,
        'SELECT state FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
        [accountId],
      );
      if (!account) return refuse('account_not_found');
      if (account.state === 'closed') return refuse('account_inactive');
      if (sessionId && !(await row(manager, 'SELECT id FROM sessions WHERE id = $1', [sessionId])))
        return refuse('sign_in_required');
      const unrevoked = await rows(
        manager,
        'SELECT 1 FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL',
        [accountId],
      );
      if (unrevoked.length >= MAX_UNREVOKED_KEYS) return refuse('key_limit_reached');
      return accept(await this.insert(manager, accountId, name, mode, by));
    });
  }

  /** For an account that is being made in the same transaction: nobody else can be giving it keys. */
  async insert(
    manager: EntityManager,
    accountId: string,
    name: string,
    mode: KeyMode,
    by: Actor,
  ): Promise<NewKey> {
    const key = generateApiKey(mode);
    const { prefix, last_four } = describeApiKey(key);
    const inserted = await row<KeyRecord>(
      manager,
      `INSERT INTO api_keys (id, account_id, name, mode, key_hash, prefix, last_four)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *`,
      [uuidv7(), accountId, name, mode, hashApiKey(key), prefix, last_four],
    );
    await audit(manager, accountId, 'key_created', by, named(inserted!));
    return { ...asBody(inserted!), api_key: key };
  }

  /**
   * Revoking twice is fine.
   * @param accountId whose key it must be; null for the operator, who may revoke any
   * @returns undefined where there is no such key
   */
  async revoke(keyId: string, accountId: string | null, by: Actor): Promise<ApiKeyBody | undefined> {
    const revoked = await this.source.transaction(async (manager) => {
      const key = await row<KeyRecord>(
        manager,
        'SELECT * FROM api_keys WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR UPDATE',
        [keyId, accountId],
      );
      if (!key || key.revoked_at) return key;
      await audit(manager, key.account_id, 'key_revoked', by, named(key));
      return row<KeyRecord>(manager, 'UPDATE api_keys SET revoked_at = now() WHERE id = $1 RETURNING *', [
        keyId,
      ]);
    });
    if (!revoked) return undefined;
    this.forgetEverywhere(revoked.account_id);
    return asBody(revoked);
  }

  /**
   * Every unrevoked key, in a transaction of the caller, who holds the account's row and says `forgetEverywhere` after
   * its commit. @returns how many there were
   */
  async revokeAll(manager: EntityManager, accountId: string, by: Actor): Promise<number> {
    const revoked = await rows<KeyRecord>(
      manager,
      `WITH revoked AS (
         UPDATE api_keys SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL RETURNING *)
       SELECT * FROM revoked ORDER BY created_at, id`,
      [accountId],
    );
    for (const key of revoked) await audit(manager, accountId, 'key_revoked', by, named(key));
    return revoked.length;
  }

  /** Every unrevoked key and the newest of the others, oldest first. */
  async list(accountId: string): Promise<ApiKeyBody[]> {
    const keys = await rows<KeyRecord>(
      this.source,
      `SELECT * FROM api_keys WHERE account_id = $1 AND (revoked_at IS NULL OR id IN (
          SELECT id FROM api_keys WHERE account_id = $1 AND revoked_at IS NOT NULL
           ORDER BY created_at DESC, id DESC LIMIT ${REVOKED_KEYS_SHOWN}))
        ORDER BY created_at, id`,
      [accountId],
    );
    return keys.map(asBody);
  }

  /** @returns undefined for a key that does not exist or was revoked */
  async findOwner(keyHash: Buffer): Promise<KeyOwner | undefined> {
    return row<KeyOwner>(
      this.source,
      `SELECT k.id AS "keyId", k.account_id AS "accountId", k.mode, a.state AS "accountState"
         FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.key_hash = $1 AND k.revoked_at IS NULL`,
      [keyHash],
    );
  }

  /** After a commit that changed whether the keys of an account are let in. */
  forgetEverywhere(accountId: string): void {
    this.notices.send(AccountKeysChanged, { account_id: accountId });
  }
}

function named({ name, prefix, last_four }: KeyRecord): string {
  return `${name} (${prefix}…${last_four})`;
}

function asBody(key: KeyRecord): ApiKeyBody {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    prefix: key.prefix,
    last_four: key.last_four,
    created_at: key.created_at.toISOString(),
    last_used_at: key.last_used_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
  };
}
