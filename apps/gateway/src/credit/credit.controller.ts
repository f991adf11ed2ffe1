import { GetAccountSummary, type AccountSummary, type CreditBody, type Owner } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { Caller, CallerGuard } from '../http/caller';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { centsDown, centsUp } from './aud';

@Controller(versioned('credit'))
@UseGuards(CallerGuard)
export class CreditController {
  constructor(private readonly requester: Requester) {}

  @Get()
  async credit(@Caller() caller: Owner): Promise<CreditBody> {
    const summary = valueOf(await this.requester.ask(GetAccountSummary, { account_id: caller.account_id }));
    return {
      balance_aud: centsDown(summary.available_micro_aud),
      price_per_minute_aud: centsUp(summary.price_per_minute_micro_aud),
      total_topped_up_aud: centsDown(summary.total_topped_up_micro_aud),
      total_used_aud: centsUp(summary.total_used_micro_aud),
      estimated_remaining_minutes: remainingMinutes(summary),
      free_minutes_remaining: Math.floor(summary.free_seconds_available / 60),
      price_per_minute_with_analysis_aud:
        summary.price_per_minute_with_analysis_micro_aud === undefined
          ? null
          : centsUp(summary.price_per_minute_with_analysis_micro_aud),
    };
  }
}

function remainingMinutes(summary: AccountSummary): number {
  // In seconds times price, which are integers: a quotient of two roundings could lose a whole minute.
  const { free_seconds_available, available_micro_aud, price_per_minute_micro_aud } = summary;
  if (price_per_minute_micro_aud === 0) return Number.MAX_SAFE_INTEGER;
  const paidAndFree =
    BigInt(free_seconds_available) * BigInt(price_per_minute_micro_aud) + BigInt(available_micro_aud) * 60n;
  return Number(paidAndFree / (BigInt(price_per_minute_micro_aud) * 60n));
}
