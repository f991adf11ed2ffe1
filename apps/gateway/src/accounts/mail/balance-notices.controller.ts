import { BalanceLow, type PayloadOf } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Consumes, done, type Delivery, type Outcome } from '@currawong/messaging';
import { Controller, Inject } from '@nestjs/common';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../../config';
import { centsDown } from '../../credit/aud';
import { Accounts } from '../accounts';
import { OutgoingMails } from './outgoing-mails';
import { balanceLow } from './texts';

/** Billing says when a balance is low; here is where the holder's address is known. */
@Controller()
export class BalanceNoticesController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly accounts: Accounts,
    private readonly mails: OutgoingMails,
  ) {}

  /** The message's id is the same however often it is delivered: one mail comes of it. */
  @Consumes({ durable: 'gateway-balance-low', contracts: BalanceLow })
  async onBalanceLow(
    { account_id, available_micro_aud, threshold_micro_aud }: PayloadOf<typeof BalanceLow>,
    { messageId }: Delivery,
  ): Promise<Outcome> {
    const account = await this.accounts.find(account_id);
    if (account?.state !== 'active') return done();
    const page = `${publicUrl(this.config)}/dashboard/billing`;
    const text = balanceLow(centsDown(available_micro_aud), centsDown(threshold_micro_aud), page);
    await this.source.transaction((manager) => this.mails.write(manager, account, text, messageId));
    this.mails.sendSoon();
    return done();
  }
}
