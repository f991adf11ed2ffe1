import { GetAccountSummary, type Owner } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { audNumber } from '../credit/aud';
import { ApiKeyGuard, Caller } from '../http/caller';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';

@Controller(versioned('usage'))
@UseGuards(ApiKeyGuard)
export class UsageController {
  constructor(private readonly requester: Requester) {}

  @Get()
  async usage(@Caller() caller: Owner) {
    const summary = valueOf(await this.requester.ask(GetAccountSummary, { account_id: caller.account_id }));
    return {
      billing_period_start: summary.period_start,
      billing_period_end: summary.period_end,
      included_minutes: 0,
      minutes_used: summary.period_seconds_used / 60,
      minutes_remaining: 0,
      plan_name: 'Pay As You Go',
      balance_aud: audNumber(summary.available_micro_aud),
      price_per_minute_aud: audNumber(summary.price_per_minute_micro_aud),
    };
  }
}
