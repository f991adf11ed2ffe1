import type { PriceOption } from '@currawong/contracts';
import { add } from '../ledger/amounts';
import type { CustomerBooks } from '../ledger/books';
import { chargedAmounts, heldAmounts, type Hold } from '../ledger/holds';
import type { CreditKind } from '../ledger/credit';
import type { PagedTransaction, Transaction } from './page';

/** Rows as Postgres gives and takes them: a bigint travels as text, for JSON numbers would round it. */
export interface BalanceRow {
  account_id: string;
  available_micro_aud: string;
  held_micro_aud: string;
  credited_micro_aud: string;
  used_micro_aud: string;
  available_free_seconds: string;
  held_free_seconds: string;
  credited_free_seconds: string;
  used_free_seconds: string;
}

export interface HoldRow {
  job_id: string;
  account_id: string;
  state: Hold['state'];
  option: PriceOption;
  key_id: string | null;
  price_per_minute_micro_aud: string;
  free_seconds: string;
  paid_seconds: string;
  captured_free_seconds: string | null;
  captured_paid_seconds: string | null;
  release_reason: string | null;
}

export interface CreditRow {
  kind: CreditKind;
  reference: string;
  account_id: string;
  input_hash: string;
}

export function booksFrom(row: BalanceRow): CustomerBooks {
  const amounts = (microAud: string, freeSeconds: string) => ({
    microAud: BigInt(microAud),
    freeSeconds: BigInt(freeSeconds),
  });
  return {
    available: amounts(row.available_micro_aud, row.available_free_seconds),
    held: amounts(row.held_micro_aud, row.held_free_seconds),
    credited: amounts(row.credited_micro_aud, row.credited_free_seconds),
    used: amounts(row.used_micro_aud, row.used_free_seconds),
  };
}

export function holdFrom(row: HoldRow): Hold {
  const terms = {
    jobId: row.job_id,
    accountId: row.account_id,
    option: row.option,
    keyId: row.key_id,
    pricePerMinuteMicroAud: BigInt(row.price_per_minute_micro_aud),
    freeSeconds: BigInt(row.free_seconds),
    paidSeconds: BigInt(row.paid_seconds),
  };
  switch (row.state) {
    case 'pending':
      return { ...terms, state: 'pending' };
    case 'captured':
      // The table's constraints promise these two for a captured hold, and a reason for a released one.
      return {
        ...terms,
        state: 'captured',
        captured: {
          freeSeconds: BigInt(row.captured_free_seconds!),
          paidSeconds: BigInt(row.captured_paid_seconds!),
        },
      };
    case 'released':
      return { ...terms, state: 'released', releaseReason: row.release_reason! };
  }
}

export function toBalanceRow(accountId: string, books: CustomerBooks): BalanceRow {
  return {
    account_id: accountId,
    available_micro_aud: String(books.available.microAud),
    held_micro_aud: String(books.held.microAud),
    credited_micro_aud: String(books.credited.microAud),
    used_micro_aud: String(books.used.microAud),
    available_free_seconds: String(books.available.freeSeconds),
    held_free_seconds: String(books.held.freeSeconds),
    credited_free_seconds: String(books.credited.freeSeconds),
    used_free_seconds: String(books.used.freeSeconds),
  };
}

export function toHoldRow(
  hold: Hold,
): HoldRow & { held_micro_aud: string; charged_micro_aud: string | null } {
  const captured = hold.state === 'captured' ? hold : undefined;
  return {
    job_id: hold.jobId,
    account_id: hold.accountId,
    state: hold.state,
    option: hold.option,
    key_id: hold.keyId,
    price_per_minute_micro_aud: String(hold.pricePerMinuteMicroAud),
    free_seconds: String(hold.freeSeconds),
    paid_seconds: String(hold.paidSeconds),
    held_micro_aud: String(heldAmounts(hold).microAud),
    captured_free_seconds: captured ? String(captured.captured.freeSeconds) : null,
    captured_paid_seconds: captured ? String(captured.captured.paidSeconds) : null,
    charged_micro_aud: captured ? String(chargedAmounts(captured).microAud) : null,
    release_reason: hold.state === 'released' ? hold.releaseReason : null,
  };
}

export function toTransactionRow(transaction: PagedTransaction, position: number) {
  const balance = add(transaction.after.available, transaction.after.held);
  return {
    position,
    kind: transaction.kind,
    reference: transaction.reference,
    input_hash: transaction.inputHash ?? null,
    account_id: transaction.accountId,
    job_id: transaction.hold?.jobId ?? null,
    reason: transaction.reason ?? null,
    balance_after_micro_aud: String(balance.microAud),
    free_seconds_after: String(balance.freeSeconds),
  };
}

export function toPostingRows({ kind, reference, postings }: Transaction) {
  return postings.map(({ from, to, unit, amount }, line) => ({
    kind,
    reference,
    line,
    from_book: from,
    to_book: to,
    unit,
    amount: String(amount),
  }));
}
