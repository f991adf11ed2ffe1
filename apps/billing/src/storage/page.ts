import type { CreditKind } from '../ledger/credit';
import { afterPostings, type CustomerBooks, EMPTY_BOOKS, LedgerBroken, type Posting } from '../ledger/books';
import type { Hold } from '../ledger/holds';
import { fellLow } from '../ledger/low-balance';
import type { TopUp } from './top-ups';

export type TransactionKind = 'open_account' | CreditKind | 'hold' | 'raise_hold' | 'capture' | 'release';

/** A journal line as it is to be written. `kind` and `reference` together are booked at most once. */
export interface Transaction {
  kind: TransactionKind;
  reference: string;
  accountId: string;
  postings: Posting[];
  /** The hold as it is after the postings; its job is the transaction's. */
  hold?: Hold;
  reason?: string;
  inputHash?: string;
}

/** A transaction on the page, with the customer's books as they are after it. */
export interface PagedTransaction extends Transaction {
  after: CustomerBooks;
}

/** A booking that took a balance below the account's threshold. */
export interface LowBalance {
  accountId: string;
  availableMicroAud: bigint;
  thresholdMicroAud: bigint;
  /** Names the booking, and with it the message. */
  bookedAs: string;
}

/** What was booked before under a reference. */
export interface Booked {
  accountId: string;
  inputHash: string;
}

/** What a decision reads; it is there, under lock, when the decision is made. */
export interface Needs {
  accountIds?: string[];
  jobIds?: string[];
  credits?: { kind: CreditKind; reference: string }[];
  topUpIds?: string[];
}

export interface PageContents {
  books: Map<string, CustomerBooks>;
  holds: Map<string, Hold>;
  credits: Map<string, Booked>;
  topUps: Map<string, TopUp>;
  /** Of the accounts that want to hear about a low balance. */
  lowBalanceThresholds: Map<string, bigint>;
}

/**
 * The open page of the journal: the books under lock, and what has been decided since they were read. Decisions are
 * taken one after the other, each seeing the ones before it, and are written together.
 */
export class Page {
  readonly opened = new Set<string>();
  readonly transactions: PagedTransaction[] = [];
  readonly lowBalances: LowBalance[] = [];
  /** Those that a decision has changed, as they are now. */
  readonly changedTopUps = new Map<string, TopUp>();

  constructor(private readonly contents: PageContents) {}

  books(accountId: string): CustomerBooks | undefined {
    return this.contents.books.get(accountId);
  }

  hold(jobId: string): Hold | undefined {
    return this.contents.holds.get(jobId);
  }

  credit(kind: CreditKind, reference: string): Booked | undefined {
    return this.contents.credits.get(creditKey(kind, reference));
  }

  topUp(id: string): TopUp | undefined {
    return this.contents.topUps.get(id);
  }

  changeTopUp(topUp: TopUp): void {
    this.contents.topUps.set(topUp.id, topUp);
    this.changedTopUps.set(topUp.id, topUp);
  }

  /** Whether there is anything to write. */
  get isBlank(): boolean {
    return this.transactions.length === 0 && this.changedTopUps.size === 0;
  }

  /** Makes the books of a new account. */
  open(accountId: string): void {
    this.contents.books.set(accountId, EMPTY_BOOKS);
    this.opened.add(accountId);
  }

  /**
   * Books a decision. Nothing of it is on the page when it throws.
   * @throws LedgerBroken where the postings contradict the books
   */
  book(transaction: Transaction): void {
    const { accountId, hold, inputHash } = transaction;
    const before = this.books(accountId);
    if (!before) throw new LedgerBroken(`account ${accountId} has no books`);
    const after = afterPostings(before, transaction.postings);
    this.contents.books.set(accountId, after);
    if (hold) this.contents.holds.set(hold.jobId, hold);
    if (inputHash !== undefined) {
      const key = creditKey(transaction.kind as CreditKind, transaction.reference);
      this.contents.credits.set(key, { accountId, inputHash });
    }
    this.transactions.push({ ...transaction, after });
    const thresholdMicroAud = this.contents.lowBalanceThresholds.get(accountId);
    if (thresholdMicroAud !== undefined && fellLow(before, after, thresholdMicroAud)) {
      const bookedAs = `${transaction.kind}:${transaction.reference}`;
      const availableMicroAud = after.available.microAud;
      this.lowBalances.push({ accountId, availableMicroAud, thresholdMicroAud, bookedAs });
    }
  }
}

export function creditKey(kind: CreditKind, reference: string): string {
  return `${kind} ${reference}`;
}
