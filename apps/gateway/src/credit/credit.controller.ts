import { GetAccountSummary, type AccountSummary, type Owner } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiKeyGuard, Caller } from '../http/caller';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { centsDown, centsUp } from './aud';

@Controller(versioned('credit'))
@UseGuards(ApiKeyGuard)
export class CreditController {
  constructor(private readonly requester: Requester) {}

  @Get()
  async credit(@Caller() caller: Owner) {
    const summary = valueOf(await this.requester.ask(GetAccountSummary, { account_id: caller.account_id }));
    return {
      balance_aud: centsDown(summary.available_micro_aud),
      price_per_minute_aud: centsUp(summary.price_per_minute_micro_aud),
      total_topped_up_aud: centsDown(summary.total_topped_up_micro_aud),
      total_used_aud: centsUp(summary.total_used_micro_aud),
      estimated_remaining_minutes: remainingMinutes(summary),
      free_minutes_remaining: Math.floor(summary.free_seconds_available / 60),
    };
  }
}

function remainingMinutes(summary: AccountSummary): number {
  const freeMinutes = summary.free_seconds_available / 60;
  return Math.floor(freeMinutes + summary.available_micro_aud / summary.price_per_minute_micro_aud);
}
