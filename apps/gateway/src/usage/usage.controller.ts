import {
  GetAccountSummary,
  GetUsageBreakdown,
  Month,
  type Owner,
  type UsageBody,
  type UsageBreakdown,
} from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { Keys } from '../accounts/keys/keys';
import { audNumber } from '../credit/aud';
import { Caller, CallerGuard } from '../http/caller';
import { parse } from '../http/parse';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';

export const BreakdownQuery = z.object({ month: Month.optional() });

/** What an account has used this month. Keys of both modes see the account's usage; test jobs are not in it. */
@Controller(versioned('usage'))
@UseGuards(CallerGuard)
export class UsageController {
  constructor(
    private readonly requester: Requester,
    private readonly keys: Keys,
  ) {}

  @Get()
  async usage(@Caller() caller: Owner): Promise<UsageBody> {
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

  @Get('breakdown')
  async breakdown(@Caller() { account_id }: Owner, @Query() query: unknown): Promise<UsageBreakdown> {
    const { month } = parse(BreakdownQuery, query);
    const [used, keys] = await Promise.all([
      this.requester.ask(GetUsageBreakdown, { account_id, month }).then(valueOf),
      this.keys.list(account_id),
    ]);
    // Revoked keys are listed as well: what they used stays theirs.
    const nameOf = new Map(keys.map((key) => [key.id, key.name]));
    return {
      month: used.month,
      days: used.days,
      keys: used.keys.map((key) => ({
        ...key,
        name: key.key_id === null ? null : (nameOf.get(key.key_id) ?? null),
      })),
    };
  }
}
