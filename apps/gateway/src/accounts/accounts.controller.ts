import {
  accept,
  AccountKeysChanged,
  CreateAccount,
  CreateKey,
  ListKeys,
  refuse,
  RevokeKey,
  SetAccountState,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Answers, Hears, Notices } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Accounts } from './accounts';
import { KeyCache } from './key-cache';

/** What whoever runs the platform may ask of accounts. Whatever changes who may enter is told to every gateway. */
@Controller()
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly notices: Notices,
    private readonly keys: KeyCache,
  ) {}

  @Answers(CreateAccount)
  create(wanted: PayloadOf<typeof CreateAccount>): Promise<Result<ReplyOf<typeof CreateAccount>>> {
    return this.accounts.create(wanted);
  }

  @Answers(SetAccountState)
  async setState(
    wanted: PayloadOf<typeof SetAccountState>,
  ): Promise<Result<ReplyOf<typeof SetAccountState>>> {
    if (!(await this.accounts.setState(wanted.account_id, wanted.state))) return refuse('account_not_found');
    this.notices.send(AccountKeysChanged, { account_id: wanted.account_id });
    return accept(wanted);
  }

  @Answers(CreateKey)
  createKey(wanted: PayloadOf<typeof CreateKey>): Promise<Result<ReplyOf<typeof CreateKey>>> {
    return this.accounts.createKey(wanted.account_id, wanted.name, wanted.mode);
  }

  @Answers(RevokeKey)
  async revokeKey({ key_id }: PayloadOf<typeof RevokeKey>): Promise<Result<ReplyOf<typeof RevokeKey>>> {
    const revoked = await this.accounts.revokeKey(key_id);
    if (!revoked) return refuse('not_found', 'There is no such key.');
    this.notices.send(AccountKeysChanged, { account_id: revoked.accountId });
    return accept(revoked.key);
  }

  @Answers(ListKeys)
  async listKeys({ account_id }: PayloadOf<typeof ListKeys>): Promise<Result<ReplyOf<typeof ListKeys>>> {
    return accept({ keys: await this.accounts.listKeys(account_id) });
  }

  /** Every gateway hears this, the one that made the change as well. */
  @Hears(AccountKeysChanged)
  keysChanged({ account_id }: PayloadOf<typeof AccountKeysChanged>): void {
    this.keys.forget(account_id);
  }
}
