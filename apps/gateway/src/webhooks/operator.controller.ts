import {
  accept,
  refuse,
  SetWebhook,
  ShowWebhook,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Accounts } from '../accounts/accounts';
import { OPERATOR } from '../accounts/audit/audit-log';
import { Endpoints } from './endpoints';

/** What whoever runs the platform may see and set for an account. */
@Controller()
export class WebhookOperatorController {
  constructor(
    private readonly accounts: Accounts,
    private readonly endpoints: Endpoints,
  ) {}

  @Answers(ShowWebhook)
  async show({ account_id }: PayloadOf<typeof ShowWebhook>): Promise<Result<ReplyOf<typeof ShowWebhook>>> {
    if (!(await this.accounts.find(account_id))) return refuse('account_not_found');
    return accept(await this.view(account_id));
  }

  @Answers(SetWebhook)
  async set({ account_id, url }: PayloadOf<typeof SetWebhook>): Promise<Result<ReplyOf<typeof SetWebhook>>> {
    if (!(await this.accounts.find(account_id))) return refuse('account_not_found');
    const set = await this.endpoints.set(account_id, url, OPERATOR);
    return set.ok ? accept(await this.view(account_id)) : set;
  }

  private async view(accountId: string): Promise<ReplyOf<typeof ShowWebhook>> {
    const { url, disabled_at, disabled_reason } = await this.endpoints.settings(accountId);
    const { secret } = await this.endpoints.showSecret(accountId, OPERATOR);
    return { account_id: accountId, url, disabled_at, disabled_reason, secret };
  }
}
