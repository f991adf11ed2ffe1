import { accept, type GetStatement, refuse, type ReplyOf, type Result } from '@currawong/contracts';
import { DataSource, type EntityManager, row, rows } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { centsAud, exactAud } from '../ledger/amounts';
import type { MonthRow } from '../storage/month-rows';
import { type LineRow, lineFrom } from './lines';
import { dayAfter, type SydneyMonth, sydneyMonth } from './months';
import { Supplier } from './supplier';

type Page = ReplyOf<typeof GetStatement>;

export interface PageWanted {
  accountId: string;
  /** The current one unless told. */
  month: string | undefined;
  /** The id of the last line that is known already. */
  after: string | null;
  limit: number;
}

/**
 * A month of an account, page by page. Balances and totals come from the sums of the months and the lines from an index
 * over the account's month, so that neither grows with what else there is; all of it is one snapshot.
 */
@Injectable()
export class Statements {
  constructor(
    private readonly source: DataSource,
    private readonly supplier: Supplier,
  ) {}

  /** Refuses with `account_not_found`, and with `invalid_parameter` for a month that has not begun. */
  async page(wanted: PageWanted): Promise<Result<Page>> {
    if (wanted.after !== null && !/^\d{1,18}$/.test(wanted.after))
      return refuse('invalid_parameter', 'after: must be the next_after of the page before');
    return this.source.transaction('REPEATABLE READ', async (manager) => {
      const month = await sydneyMonth(manager, wanted.month);
      if (!month.ok) return month;
      const sums = await row<SumsRow>(manager, SUMS_SQL, [wanted.accountId, month.value.firstDay]);
      if (!sums) return refuse('account_not_found');
      const lines = await linesOf(manager, month.value, wanted);
      return accept(this.asPage(wanted, month.value, sums, lines));
    });
  }

  private asPage(wanted: PageWanted, month: SydneyMonth, sums: SumsRow, lines: LineRow[]): Page {
    const opening = BigInt(sums.opening_micro_aud);
    const openingFree = BigInt(sums.opening_free_seconds);
    const [toppedUp, adjusted] = [BigInt(sums.topped_up_micro_aud), BigInt(sums.adjusted_micro_aud)];
    const used = BigInt(sums.used_micro_aud);
    const { isRegistered, name, abn, address } = this.supplier;
    const isTaxInvoice = isRegistered && toppedUp > 0n;
    const shown = lines.slice(0, wanted.limit);
    return {
      month: month.month,
      period_start: month.firstDay,
      period_end: month.lastDay,
      timezone: 'Australia/Sydney',
      currency: 'AUD',
      tax_invoice: isTaxInvoice,
      invoice_number: isTaxInvoice ? invoiceNumber(wanted.accountId, month.month) : null,
      issued_on: month.today ?? dayAfter(month),
      supplier: { name, abn, address: address ?? null },
      opening_balance_aud: exactAud(opening),
      closing_balance_aud: exactAud(opening + toppedUp + adjusted - used),
      opening_free_seconds: Number(openingFree),
      closing_free_seconds: Number(
        openingFree + BigInt(sums.granted_free_seconds) - BigInt(sums.used_free_seconds),
      ),
      held_aud: month.today === null ? null : exactAud(BigInt(sums.held_micro_aud)),
      totals: {
        topped_up_aud: exactAud(toppedUp),
        gst_included_aud: centsAud(isRegistered ? BigInt(sums.gst_cents) : 0n),
        adjusted_aud: exactAud(adjusted),
        used_aud: exactAud(used),
        audio_seconds: Number(sums.captured_seconds),
        jobs: Number(sums.jobs),
      },
      lines: shown.map((line) => lineFrom(line, isRegistered)),
      next_after: lines.length > wanted.limit ? shown.at(-1)!.id : null,
    };
  }
}

/** One more than is shown, which says whether there is another page. */
function linesOf(manager: EntityManager, { firstDay }: SydneyMonth, wanted: PageWanted): Promise<LineRow[]> {
  const { accountId, after, limit } = wanted;
  return rows<LineRow>(manager, LINES_SQL, [accountId, firstDay, after ?? '0', limit + 1]);
}

/** One statement per account and month, and the same number whenever it is asked for. */
function invoiceNumber(accountId: string, month: string): string {
  return `${month.replace('-', '')}-${accountId.slice(-12).toUpperCase()}`;
}

interface SumsRow extends Omit<MonthRow, 'account_id'> {
  held_micro_aud: string;
  opening_micro_aud: string;
  opening_free_seconds: string;
}

const SUMS_SQL = `
  SELECT b.held_micro_aud,
         (SELECT coalesce(sum(topped_up_micro_aud + adjusted_micro_aud - used_micro_aud), 0)
            FROM monthly_totals WHERE account_id = $1 AND month < $2::date)::bigint AS opening_micro_aud,
         (SELECT coalesce(sum(granted_free_seconds - used_free_seconds), 0)
            FROM monthly_totals WHERE account_id = $1 AND month < $2::date)::bigint AS opening_free_seconds,
         coalesce(m.captured_seconds, 0) AS captured_seconds, coalesce(m.jobs, 0) AS jobs,
         coalesce(m.used_micro_aud, 0) AS used_micro_aud, coalesce(m.used_free_seconds, 0) AS used_free_seconds,
         coalesce(m.topped_up_micro_aud, 0) AS topped_up_micro_aud, coalesce(m.gst_cents, 0) AS gst_cents,
         coalesce(m.adjusted_micro_aud, 0) AS adjusted_micro_aud,
         coalesce(m.granted_free_seconds, 0) AS granted_free_seconds
    FROM balances b LEFT JOIN monthly_totals m ON m.account_id = b.account_id AND m.month = $2::date
   WHERE b.account_id = $1`;

// What moved nothing is no line: an account opened without free seconds, a hold of nothing that was released.
const LINES_SQL = `
  SELECT t.id, t.kind, t.reference, t.reason, t.booked_at, t.job_id, h.key_id, h.option, h.price_per_minute_micro_aud,
         h.captured_free_seconds, h.captured_paid_seconds,
         h.free_seconds AS hold_free_seconds, h.paid_seconds AS hold_paid_seconds,
         moved.micro_aud, moved.free_seconds, t.balance_after_micro_aud, t.free_seconds_after
    FROM transactions t
    LEFT JOIN holds h ON h.job_id = t.job_id
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(CASE WHEN unit = 'micro_aud' THEN change END), 0)::bigint AS micro_aud,
            coalesce(sum(CASE WHEN unit = 'free_second' THEN change END), 0)::bigint AS free_seconds
       FROM (SELECT unit, CASE WHEN from_book NOT IN ('available', 'held') THEN amount
                               WHEN to_book NOT IN ('available', 'held') THEN -amount ELSE 0 END AS change
               FROM postings p WHERE p.transaction_id = t.id) AS changes) AS moved
   WHERE t.account_id = $1 AND t.month = $2::date AND t.kind NOT IN ('hold', 'raise_hold') AND t.id > $3::bigint
     AND NOT (t.kind = 'open_account' AND moved.free_seconds = 0)
     AND NOT (t.kind = 'release' AND h.free_seconds + h.paid_seconds = 0)
   ORDER BY t.id LIMIT $4`;
