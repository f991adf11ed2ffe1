import {
  accept,
  AddCredit,
  OpenAccount,
  refuse,
  type AccountBody,
  type AccountState,
  type AccountView,
  type CreateAccount,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { row, rows, DataSource, type EntityManager } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { audit, OPERATOR, type Actor } from './audit/audit-log';
import { Keys } from './keys/keys';
import { asAccountBody, type AccountRecord } from './account-record';
import { Sessions } from './sessions/sessions';
import { ServiceSettings } from './settings/service-settings';

const PAGE_LENGTH = 200;

/** What is known of somebody who gets an account. */
export interface NewHolder {
  email: string;
  name: string | null;
  passwordHash: string | null;
  emailConfirmed: boolean;
}

/** Accounts: who has one, and in what state it is. */
@Injectable()
export class Accounts {
  constructor(
    private readonly source: DataSource,
    private readonly requester: Requester,
    private readonly keys: Keys,
    private readonly sessions: Sessions,
    private readonly settings: ServiceSettings,
  ) {}

  /** For the operator: makes an account with its books and a first key; or nothing at all. */
  async create(wanted: PayloadOf<typeof CreateAccount>): Promise<Result<ReplyOf<typeof CreateAccount>>> {
    const books = await this.openBooks(wanted.email, wanted.free_seconds);
    if (!books.ok) return books;
    const id = books.value;
    if (wanted.credit_micro_aud > 0) await this.credit(id, wanted.credit_micro_aud);
    const made = await this.source.transaction(async (manager) => {
      // The operator vouches for the address.
      const holder = { email: wanted.email, name: null, passwordHash: null, emailConfirmed: true };
      const opened = await this.open(manager, id, holder, OPERATOR);
      if (!opened.ok) return opened;
      const key = await this.keys.insert(manager, id, 'first key', wanted.mode, OPERATOR);
      return accept({ account_id: id, key_id: key.id, api_key: key.api_key });
    });
    if (made.ok) this.settings.tellSoon();
    return made;
  }

  /**
   * The first step to an account: an id for it and books under that id. Asked outside of any transaction, so that a slow
   * billing holds no database connection, and before the account is there: books without an account harm nobody, an
   * account without books could not be used. Refuses with `email_taken`.
   */
  async openBooks(email: string, freeSeconds: number): Promise<Result<string>> {
    // Asked first, so that taken addresses leave no books behind.
    if (await this.findByEmail(email)) return refuse('email_taken');
    const accountId = uuidv7();
    const wanted = { account_id: accountId, free_seconds: freeSeconds };
    const opened = await this.requester.ask(OpenAccount, wanted);
    if (!opened.ok) throw new Error(`billing would not open account ${accountId}: ${opened.refusal.code}`);
    return accept(accountId);
  }

  /**
   * Makes an account whose books are open, in a transaction of the caller, who says `settings.tellSoon` after its
   * commit. Refuses with `email_taken`.
   * @param accountId as `openBooks` gave it
   */
  async open(
    manager: EntityManager,
    accountId: string,
    holder: NewHolder,
    by: Actor,
  ): Promise<Result<AccountRecord>> {
    const account = await row<AccountRecord>(
      manager,
      `INSERT INTO accounts (id, email, name, password_hash, email_confirmed_at)
       VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN now() END)
       ON CONFLICT ON CONSTRAINT one_account_per_email DO NOTHING RETURNING *`,
      [accountId, holder.email.toLowerCase(), holder.name, holder.passwordHash, holder.emailConfirmed],
    );
    if (!account) return refuse('email_taken');
    await audit(manager, account.id, 'account_created', by);
    await this.settings.changed(manager, account.id);
    return accept(account);
  }

  /** For the operator, who can open a closed account again. */
  async setState(accountId: string, state: AccountState): Promise<boolean> {
    const found = await this.source.transaction(async (manager) => {
      const account = await this.lock(manager, accountId);
      if (!account) return false;
      if (account.state === state) return true;
      if (state === 'closed') await this.close(manager, accountId, OPERATOR);
      else {
        await manager.query('UPDATE accounts SET state = $2, closed_at = NULL WHERE id = $1', [
          accountId,
          state,
        ]);
        if (account.state === 'closed') await this.settings.changed(manager, accountId);
        await audit(
          manager,
          accountId,
          state === 'active' ? 'account_resumed' : 'account_suspended',
          OPERATOR,
        );
      }
      return true;
    });
    if (found) this.forgetEverywhere(accountId);
    this.settings.tellSoon();
    return found;
  }

  /**
   * Closes for good, in a transaction of the caller, who says `forgetEverywhere` and `settings.tellSoon` after its commit:
   * jobs erases what the account leaves when it has been closed for a while. Keys stay as they
   * are: they tell their users that the account is not active, where a revoked key would say nothing.
   */
  async close(manager: EntityManager, accountId: string, by: Actor): Promise<void> {
    await manager.query(`UPDATE accounts SET state = 'closed', closed_at = now() WHERE id = $1`, [accountId]);
    await this.settings.changed(manager, accountId);
    await this.sessions.endAll(manager, accountId);
    await audit(manager, accountId, 'account_closed', by);
  }

  /** After a commit that changed whether an account is let in at all. */
  forgetEverywhere(accountId: string): void {
    this.keys.forgetEverywhere(accountId);
    this.sessions.forgetEverywhere(accountId);
  }

  find(accountId: string): Promise<AccountRecord | undefined> {
    return row<AccountRecord>(this.source, 'SELECT * FROM accounts WHERE id = $1', [accountId]);
  }

  findByEmail(email: string): Promise<AccountRecord | undefined> {
    return row<AccountRecord>(this.source, 'SELECT * FROM accounts WHERE email = $1', [email.toLowerCase()]);
  }

  /**
   * The row, which nobody else changes until the caller's transaction ends. What refers to it may still be written: who
   * has a session or a key locked, and notes it in the audit log, would otherwise wait for the account, and the caller for
   * them.
   */
  lock(manager: EntityManager, accountId: string): Promise<AccountRecord | undefined> {
    return row<AccountRecord>(manager, 'SELECT * FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  /** The account as its holder sees it. @throws Error where there is none: whoever asks has just been let in by it */
  async describe(accountId: string): Promise<AccountBody> {
    const account = await this.find(accountId);
    if (!account) throw new Error(`account ${accountId} is not there`);
    return asAccountBody(account);
  }

  /** For the operator: accounts in the order in which they were made. */
  list(after: string | null): Promise<AccountView[]> {
    return this.view('WHERE ($1::uuid IS NULL OR a.id > $1)', after);
  }

  /** For the operator. */
  async show(by: { account_id: string } | { email: string }): Promise<AccountView | undefined> {
    const [account] = await ('email' in by
      ? this.view('WHERE a.email = lower($1)', by.email)
      : this.view('WHERE a.id = $1', by.account_id));
    return account;
  }

  private async view(where: string, parameter: string | null): Promise<AccountView[]> {
    const found = await rows<AccountRecord & { unrevoked_keys: number }>(
      this.source,
      `SELECT a.*, (SELECT count(*)::int FROM api_keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL)
                   AS unrevoked_keys
         FROM accounts a ${where} ORDER BY a.id LIMIT ${PAGE_LENGTH}`,
      [parameter],
    );
    return found.map((account) => {
      const { id, email, email_confirmed, name, state, created_at, has_password } = asAccountBody(account);
      return {
        ...{ account_id: id, email, email_confirmed, name, state, created_at, has_password },
        unrevoked_keys: account.unrevoked_keys,
      };
    });
  }

  private async credit(accountId: string, amountMicroAud: number): Promise<void> {
    const credited = await this.requester.ask(AddCredit, {
      account_id: accountId,
      amount_micro_aud: amountMicroAud,
      kind: 'adjustment',
      reason: 'credit at the opening of the account',
      reference: `opening:${accountId}`,
    });
    if (!credited.ok)
      throw new Error(`billing would not credit account ${accountId}: ${credited.refusal.code}`);
  }
}
