import {
  accept,
  AddCredit,
  OpenAccount,
  refuse,
  type AccountState,
  type CreateAccount,
  type KeyMode,
  type KeyView,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { row, rows, DataSource, type EntityManager } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { describeApiKey, generateApiKey, hashApiKey } from './api-key';

const MAX_UNREVOKED_KEYS = 3;

interface KeyRecord {
  id: string;
  account_id: string;
  name: string;
  mode: KeyMode;
  prefix: string;
  last_four: string;
  created_at: Date;
  revoked_at: Date | null;
}

/** Whom a valid key speaks for. */
export interface KeyOwner {
  accountId: string;
  mode: KeyMode;
  accountState: AccountState;
}

/** People's accounts and their API keys. */
@Injectable()
export class Accounts {
  constructor(
    private readonly source: DataSource,
    private readonly requester: Requester,
  ) {}

  /** Makes an account with its books and a first key; or nothing at all. */
  create(wanted: PayloadOf<typeof CreateAccount>): Promise<Result<ReplyOf<typeof CreateAccount>>> {
    const accountId = uuidv7();
    return this.source.transaction(async (manager) => {
      const inserted = await row(
        manager,
        `INSERT INTO accounts (id, email) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT one_account_per_email DO NOTHING
         RETURNING id`,
        [accountId, wanted.email.toLowerCase()],
      );
      if (!inserted) return refuse('email_taken');
      const key = await this.insertKey(manager, accountId, 'first key', wanted.mode);
      // Asked before the commit: books without an account harm nobody, an account without books could not be used.
      const opened = await this.requester.ask(OpenAccount, {
        account_id: accountId,
        free_seconds: wanted.free_seconds,
      });
      if (!opened.ok) throw new Error(`billing would not open account ${accountId}: ${opened.refusal.code}`);
      if (wanted.credit_micro_aud > 0) {
        const credited = await this.requester.ask(AddCredit, {
          account_id: accountId,
          amount_micro_aud: wanted.credit_micro_aud,
          kind: 'adjustment',
          reason: 'credit at the opening of the account',
          reference: `opening:${accountId}`,
        });
        if (!credited.ok)
          throw new Error(`billing would not credit account ${accountId}: ${credited.refusal.code}`);
      }
      return accept({ account_id: accountId, ...key });
    });
  }

  async setState(accountId: string, state: AccountState): Promise<boolean> {
    const changed = await row(this.source, 'UPDATE accounts SET state = $2 WHERE id = $1 RETURNING id', [
      accountId,
      state,
    ]);
    return changed !== undefined;
  }

  /** Refuses a fourth unrevoked key, also when several are asked for at once. */
  createKey(
    accountId: string,
    name: string,
    mode: KeyMode,
  ): Promise<Result<{ key_id: string; api_key: string }>> {
    return this.source.transaction(async (manager) => {
      const account = await row(manager, 'SELECT id FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);
      if (!account) return refuse('account_not_found');
      const unrevoked = await rows(
        manager,
        'SELECT 1 FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL',
        [accountId],
      );
      if (unrevoked.length >= MAX_UNREVOKED_KEYS) return refuse('key_limit_reached');
      return accept(await this.insertKey(manager, accountId, name, mode));
    });
  }

  /** @returns the key and its account, or undefined where there is no such key; revoking twice is fine */
  async revokeKey(keyId: string): Promise<{ key: KeyView; accountId: string } | undefined> {
    const key = await row<KeyRecord>(
      this.source,
      'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING *',
      [keyId],
    );
    return key && { key: asKeyView(key), accountId: key.account_id };
  }

  async listKeys(accountId: string): Promise<KeyView[]> {
    const keys = await rows<KeyRecord>(
      this.source,
      'SELECT * FROM api_keys WHERE account_id = $1 ORDER BY created_at',
      [accountId],
    );
    return keys.map(asKeyView);
  }

  /** @returns undefined for a key that does not exist or was revoked */
  async findOwner(keyHash: Buffer): Promise<KeyOwner | undefined> {
    return row<KeyOwner>(
      this.source,
      `SELECT k.account_id AS "accountId", k.mode, a.state AS "accountState"
         FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.key_hash = $1 AND k.revoked_at IS NULL`,
      [keyHash],
    );
  }

  private async insertKey(
    manager: EntityManager,
    accountId: string,
    name: string,
    mode: KeyMode,
  ): Promise<{ key_id: string; api_key: string }> {
    const keyId = uuidv7();
    const key = generateApiKey(mode);
    const { prefix, last_four } = describeApiKey(key);
    await manager.query(
      `INSERT INTO api_keys (id, account_id, name, mode, key_hash, prefix, last_four) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [keyId, accountId, name, mode, hashApiKey(key), prefix, last_four],
    );
    return { key_id: keyId, api_key: key };
  }
}

function asKeyView(key: KeyRecord): KeyView {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    prefix: key.prefix,
    last_four: key.last_four,
    created_at: key.created_at.toISOString(),
    revoked_at: key.revoked_at?.toISOString() ?? null,
  };
}
