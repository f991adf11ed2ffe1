import { accept, type PriceOption, type Result } from '@currawong/contracts';
import { type Amounts, priceMicroAud, subtract } from './amounts';
import { type CustomerBooks, moveBoth, moveFreeSeconds, moveMoney, type Posting } from './books';
import { alreadySettled, captureTooDear, belowMinimum, recordingTooDear } from './refusals';

/** Seconds of audio, in the order in which they are spent: free ones first. */
export interface Parts {
  freeSeconds: bigint;
  paidSeconds: bigint;
}

/** What a job was submitted as and with; it stays as it was when the hold was placed. */
export interface Acceptance {
  option: PriceOption;
  /** The key of the submission; null for the dashboard. */
  keyId: string | null;
}

interface HoldTerms extends Parts, Acceptance {
  jobId: string;
  accountId: string;
  /** The price at which the job was accepted; a later change of price does not touch it. */
  pricePerMinuteMicroAud: bigint;
}

export type PendingHold = HoldTerms & { state: 'pending' };
/** Charged for `captured`; the rest of the hold went back. */
export type CapturedHold = HoldTerms & { state: 'captured'; captured: Parts };
/** Went back whole. */
export type ReleasedHold = HoldTerms & { state: 'released'; releaseReason: string };
export type Hold = PendingHold | CapturedHold | ReleasedHold;

/** A hold as it is after a step, with the postings that took it there. */
export interface HoldStep<H extends Hold = Hold> {
  hold: H;
  postings: Posting[];
}

export interface JobOfAccount {
  accountId: string;
  jobId: string;
}

export interface HoldRequest extends JobOfAccount, Acceptance {
  seconds: bigint;
}

export interface Terms {
  pricePerMinuteMicroAud: bigint;
  /** Least balance for a new hold once no free seconds are left. */
  minimumBalanceMicroAud: bigint;
}

/** Whether an account may submit any recording at all. Refuses with `insufficient_credit`. */
export function checkCredit({ microAud, freeSeconds }: Amounts, terms: Terms): Result<Record<string, never>> {
  return freeSeconds === 0n && microAud < terms.minimumBalanceMicroAud
    ? belowMinimum(microAud, terms.minimumBalanceMicroAud)
    : accept({});
}

/** Sets a recording's price aside. Refuses with `insufficient_credit`. */
export function placeHold(
  books: CustomerBooks,
  request: HoldRequest,
  terms: Terms,
): Result<HoldStep<PendingHold>> {
  const credit = checkCredit(books.available, terms);
  if (!credit.ok) return credit;
  const none = emptyHold(request, terms, request);
  return widen(books, none, request.seconds) ?? recordingTooDear(books.available, none, request.seconds);
}

/** A hold of no seconds, which needs no credit: what is placed so that it can be released ahead of a late hold. */
export function emptyHold(
  { jobId, accountId }: JobOfAccount,
  { pricePerMinuteMicroAud }: Terms,
  { option, keyId }: Acceptance,
): PendingHold {
  const job = { jobId, accountId, option, keyId, pricePerMinuteMicroAud };
  return { ...job, state: 'pending', freeSeconds: 0n, paidSeconds: 0n };
}

/** Makes a hold cover more seconds at its own price; one that covers them already stays as it is. */
export function raiseHold(books: CustomerBooks, hold: Hold, seconds: bigint): Result<HoldStep<PendingHold>> {
  if (hold.state !== 'pending') return alreadySettled(hold);
  return widen(books, hold, seconds) ?? recordingTooDear(books.available, hold, seconds);
}

/**
 * Charges the measured seconds and gives the rest back. Seconds beyond the hold widen it first, so that a job's
 * hold is always what was captured plus what was released. Refuses with `insufficient_credit` and changes nothing.
 */
export function captureHold(
  books: CustomerBooks,
  hold: PendingHold,
  seconds: bigint,
): Result<HoldStep<CapturedHold>> {
  const widened = widen(books, hold, seconds);
  if (!widened) return captureTooDear(books.available, hold, seconds);
  const { hold: whole, postings } = widened.value;
  const captured = split(seconds, whole.freeSeconds);
  const charge = amountsOf(captured, hold.pricePerMinuteMicroAud);
  return accept({
    hold: { ...whole, state: 'captured', captured },
    postings: [
      ...postings,
      ...moveFreeSeconds('held', 'free_used', charge.freeSeconds),
      ...moveMoney('held', 'revenue', charge.microAud),
      ...moveBoth('held', 'available', subtract(heldAmounts(whole), charge)),
    ],
  });
}

/** Gives a whole hold back. */
export function releaseHold(hold: PendingHold, reason: string): HoldStep<ReleasedHold> {
  return {
    hold: { ...hold, state: 'released', releaseReason: reason },
    postings: moveBoth('held', 'available', heldAmounts(hold)),
  };
}

/** What a hold sets (or, once settled, did set) aside. */
export function heldAmounts(hold: Hold): Amounts {
  return amountsOf(hold, hold.pricePerMinuteMicroAud);
}

/** What a captured hold cost. */
export function chargedAmounts(hold: CapturedHold): Amounts {
  return amountsOf(hold.captured, hold.pricePerMinuteMicroAud);
}

export function secondsOf(parts: Parts): bigint {
  return parts.freeSeconds + parts.paidSeconds;
}

/** The same hold over at least `seconds`, or undefined where the account cannot pay for them. */
function widen(
  books: CustomerBooks,
  hold: PendingHold,
  seconds: bigint,
): { ok: true; value: HoldStep<PendingHold> } | undefined {
  const missing = seconds - secondsOf(hold);
  if (missing <= 0n) return { ok: true, value: { hold, postings: [] } };
  const more = split(missing, books.available.freeSeconds);
  const wide = {
    ...hold,
    freeSeconds: hold.freeSeconds + more.freeSeconds,
    paidSeconds: hold.paidSeconds + more.paidSeconds,
  };
  // The price of the whole, not of the difference: a charge is rounded once per job.
  const difference = subtract(heldAmounts(wide), heldAmounts(hold));
  if (difference.microAud > books.available.microAud) return undefined;
  return { ok: true, value: { hold: wide, postings: moveBoth('available', 'held', difference) } };
}

function split(seconds: bigint, freeSeconds: bigint): Parts {
  const free = seconds < freeSeconds ? seconds : freeSeconds;
  return { freeSeconds: free, paidSeconds: seconds - free };
}

function amountsOf(parts: Parts, pricePerMinuteMicroAud: bigint): Amounts {
  return {
    freeSeconds: parts.freeSeconds,
    microAud: priceMicroAud(parts.paidSeconds, pricePerMinuteMicroAud),
  };
}
