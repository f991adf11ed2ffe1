import { gstIncludedCents } from '../ledger/amounts';
import type { Book } from '../ledger/books';
import { secondsOf } from '../ledger/holds';
import type { Transaction } from './page';

/** What one account did in a month, or what a page adds to it. Amounts travel as text, as in `records.ts`. */
export interface MonthRow {
  account_id: string;
  captured_seconds: string;
  jobs: string;
  used_micro_aud: string;
  used_free_seconds: string;
  topped_up_micro_aud: string;
  gst_cents: string;
  adjusted_micro_aud: string;
  granted_free_seconds: string;
}

/** One row per account, because a statement may not change one row twice; none for accounts that moved nothing. */
export function toMonthRows(transactions: Transaction[]): MonthRow[] {
  const sums = new Map<string, Sums>();
  for (const transaction of transactions) {
    const moved = sumsOf(transaction);
    if (Object.values(moved).every((amount) => amount === 0n)) continue;
    const before = sums.get(transaction.accountId);
    sums.set(transaction.accountId, before ? added(before, moved) : moved);
  }
  return [...sums].map(([account_id, sum]) => ({ account_id, ...asText(sum) }));
}

type Sums = Record<Exclude<keyof MonthRow, 'account_id'>, bigint>;

function sumsOf({ kind, hold, postings }: Transaction): Sums {
  const sum = (side: 'from' | 'to', book: Book) =>
    postings.filter((posting) => posting[side] === book).reduce((total, { amount }) => total + amount, 0n);
  const toppedUp = sum('from', 'top_ups');
  return {
    captured_seconds: hold?.state === 'captured' ? secondsOf(hold.captured) : 0n,
    jobs: kind === 'capture' ? 1n : 0n,
    used_micro_aud: sum('to', 'revenue'),
    used_free_seconds: sum('to', 'free_used'),
    topped_up_micro_aud: toppedUp,
    gst_cents: gstIncludedCents(toppedUp),
    adjusted_micro_aud: sum('from', 'adjustments'),
    granted_free_seconds: sum('from', 'free_granted'),
  };
}

function added(left: Sums, right: Sums): Sums {
  const sum = { ...left };
  for (const key of Object.keys(sum) as (keyof Sums)[]) sum[key] += right[key];
  return sum;
}

function asText(sums: Sums): Record<keyof Sums, string> {
  return Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, String(sum)])) as Record<
    keyof Sums,
    string
  >;
}
