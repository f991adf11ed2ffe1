import { accept, type AccountSummary, refuse, type Result } from '@currawong/contracts';
import { DataSource, row } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { CurrentTerms } from '../holds/terms';

/** What a customer sees of the books, read in one statement, so that its numbers belong together. */
@Injectable()
export class Summaries {
  constructor(
    private readonly source: DataSource,
    private readonly terms: CurrentTerms,
  ) {}

  /** Refuses with `account_not_found` where the account's books were never opened. */
  async of(accountId: string): Promise<Result<AccountSummary>> {
    const summary = await row<SummaryRow>(this.source, SUMMARY_SQL, [accountId]);
    if (!summary) return refuse('account_not_found');
    return accept({
      account_id: accountId,
      available_micro_aud: Number(summary.available_micro_aud),
      held_micro_aud: Number(summary.held_micro_aud),
      free_seconds_available: Number(summary.available_free_seconds),
      price_per_minute_micro_aud: Number(this.terms.of('transcription').pricePerMinuteMicroAud),
      price_per_minute_with_analysis_micro_aud: Number(this.terms.of('analysis').pricePerMinuteMicroAud),
      total_topped_up_micro_aud: Number(summary.credited_micro_aud),
      total_used_micro_aud: Number(summary.used_micro_aud),
      period_start: summary.period_start,
      period_end: summary.period_end,
      period_seconds_used: Number(summary.period_seconds_used),
    });
  }
}

interface SummaryRow {
  available_micro_aud: string;
  held_micro_aud: string;
  available_free_seconds: string;
  credited_micro_aud: string;
  used_micro_aud: string;
  period_start: string;
  period_end: string;
  period_seconds_used: string;
}

const SUMMARY_SQL = `
  SELECT b.available_micro_aud, b.held_micro_aud, b.available_free_seconds, b.credited_micro_aud, b.used_micro_aud,
         period.month::text AS period_start,
         (period.month + interval '1 month' - interval '1 day')::date::text AS period_end,
         coalesce(u.captured_seconds, 0) AS period_seconds_used
    FROM balances b
   CROSS JOIN (SELECT sydney_month(now()) AS month) AS period
    LEFT JOIN monthly_totals u ON u.account_id = b.account_id AND u.month = period.month
   WHERE b.account_id = $1`;
