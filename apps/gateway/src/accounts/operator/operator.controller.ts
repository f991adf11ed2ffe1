import {
  accept,
  AccountKeysChanged,
  AccountSessionsEnded,
  CreateAccount,
  CreateKey,
  ListAccounts,
  ListKeys,
  refuse,
  RevokeKey,
  SetAccountState,
  SetPassword,
  ShowAccount,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Answers, Hears } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Accounts } from '../accounts';
import { OPERATOR } from '../audit/audit-log';
import { KeyCache } from '../keys/key-cache';
import { Keys } from '../keys/keys';
import { Passwords } from '../passwords/passwords';
import { Sessions } from '../sessions/sessions';

/** What whoever runs the platform may ask of accounts, and what gateways tell one another. */
@Controller()
export class OperatorController {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: Keys,
    private readonly keyCache: KeyCache,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
  ) {}

  @Answers(CreateAccount)
  create(wanted: PayloadOf<typeof CreateAccount>): Promise<Result<ReplyOf<typeof CreateAccount>>> {
    return this.accounts.create(wanted);
  }

  @Answers(ShowAccount)
  async show(by: PayloadOf<typeof ShowAccount>): Promise<Result<ReplyOf<typeof ShowAccount>>> {
    const account = await this.accounts.show(by);
    return account ? accept(account) : refuse('account_not_found');
  }

  @Answers(ListAccounts)
  async list({ after }: PayloadOf<typeof ListAccounts>): Promise<Result<ReplyOf<typeof ListAccounts>>> {
    return accept({ accounts: await this.accounts.list(after) });
  }

  @Answers(SetAccountState)
  async setState(
    wanted: PayloadOf<typeof SetAccountState>,
  ): Promise<Result<ReplyOf<typeof SetAccountState>>> {
    const found = await this.accounts.setState(wanted.account_id, wanted.state);
    return found ? accept(wanted) : refuse('account_not_found');
  }

  @Answers(SetPassword)
  async setPassword(wanted: PayloadOf<typeof SetPassword>): Promise<Result<ReplyOf<typeof SetPassword>>> {
    const account = await this.passwords.setByOperator(wanted.account_id, wanted.password);
    return account ? accept({ account_id: account.id, email: account.email }) : refuse('account_not_found');
  }

  @Answers(CreateKey)
  async createKey(wanted: PayloadOf<typeof CreateKey>): Promise<Result<ReplyOf<typeof CreateKey>>> {
    const made = await this.keys.create(wanted.account_id, wanted.name, wanted.mode, OPERATOR);
    return made.ok ? accept({ key_id: made.value.id, api_key: made.value.api_key }) : made;
  }

  @Answers(RevokeKey)
  async revokeKey({ key_id }: PayloadOf<typeof RevokeKey>): Promise<Result<ReplyOf<typeof RevokeKey>>> {
    const revoked = await this.keys.revoke(key_id, null, OPERATOR);
    return revoked ? accept(revoked) : refuse('key_not_found');
  }

  @Answers(ListKeys)
  async listKeys({ account_id }: PayloadOf<typeof ListKeys>): Promise<Result<ReplyOf<typeof ListKeys>>> {
    return accept({ keys: await this.keys.list(account_id) });
  }

  /** Every gateway hears this, the one that made the change as well. */
  @Hears(AccountKeysChanged)
  keysChanged({ account_id }: PayloadOf<typeof AccountKeysChanged>): void {
    this.keyCache.forget(account_id);
  }

  @Hears(AccountSessionsEnded)
  sessionsEnded({ account_id }: PayloadOf<typeof AccountSessionsEnded>): void {
    this.sessions.forget(account_id);
  }
}
