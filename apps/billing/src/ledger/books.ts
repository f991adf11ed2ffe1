import { add, type Amounts, NOTHING, subtract } from './amounts';

/** The books that every customer account has. */
export type CustomerBook = 'available' | 'held';

/** The platform's books: where value comes from and where it ends. See README.md for the chart. */
export type PlatformBook = 'top_ups' | 'adjustments' | 'free_granted' | 'revenue' | 'free_used';

export type Book = CustomerBook | PlatformBook;
export type Unit = 'micro_aud' | 'free_second';

/** One movement out of one book into another: both sides of the double entry in one line, so they cannot differ. */
export interface Posting {
  from: Book;
  to: Book;
  unit: Unit;
  /** Always above zero; the direction says the sign. */
  amount: bigint;
}

/** One customer's books and what has passed through them. `credited = available + held + used`, in each unit. */
export interface CustomerBooks {
  available: Amounts;
  held: Amounts;
  credited: Amounts;
  used: Amounts;
}

export const EMPTY_BOOKS: CustomerBooks = {
  available: NOTHING,
  held: NOTHING,
  credited: NOTHING,
  used: NOTHING,
};

/** A posting that the rules forbid: a defect of ours, never a customer's doing. Nothing may be written after it. */
export class LedgerBroken extends Error {
  override name = 'LedgerBroken';
}

/** A movement of money, or no line at all for nothing. */
export function moveMoney(from: Book, to: Book, amount: bigint): Posting[] {
  return move(from, to, 'micro_aud', amount);
}

/** A movement of free seconds, or no line at all for none. */
export function moveFreeSeconds(from: Book, to: Book, amount: bigint): Posting[] {
  return move(from, to, 'free_second', amount);
}

/** A movement between a customer's own books, in both units. */
export function moveBoth(from: CustomerBook, to: CustomerBook, amounts: Amounts): Posting[] {
  return [...moveFreeSeconds(from, to, amounts.freeSeconds), ...moveMoney(from, to, amounts.microAud)];
}

function move(from: Book, to: Book, unit: Unit, amount: bigint): Posting[] {
  if (amount < 0n) throw new LedgerBroken(`${amount} ${unit} cannot move from ${from} to ${to}`);
  return amount === 0n ? [] : [{ from, to, unit, amount }];
}

/**
 * The customer's books after the postings.
 * @throws LedgerBroken where a book would be below zero at any step
 */
export function afterPostings(books: CustomerBooks, postings: readonly Posting[]): CustomerBooks {
  return postings.reduce(afterPosting, books);
}

function afterPosting(books: CustomerBooks, posting: Posting): CustomerBooks {
  const amounts =
    posting.unit === 'micro_aud'
      ? { microAud: posting.amount, freeSeconds: 0n }
      : { microAud: 0n, freeSeconds: posting.amount };
  const next = { ...books };
  if (isCustomerBook(posting.from)) next[posting.from] = subtract(books[posting.from], amounts);
  else next.credited = add(books.credited, amounts);
  if (isCustomerBook(posting.to)) next[posting.to] = add(books[posting.to], amounts);
  else next.used = add(books.used, amounts);
  for (const book of ['available', 'held'] as const) {
    if (next[book].microAud < 0n || next[book].freeSeconds < 0n) {
      throw new LedgerBroken(
        `${posting.amount} ${posting.unit} from ${posting.from} would leave ${book} below zero`,
      );
    }
  }
  return next;
}

function isCustomerBook(book: Book): book is CustomerBook {
  return book === 'available' || book === 'held';
}
