import { moveFreeSeconds, moveMoney, type Posting } from './books';

export type CreditKind = 'top_up' | 'adjustment';

/** A new account's free seconds; the books themselves begin empty. */
export function openingPostings(freeSeconds: bigint): Posting[] {
  return moveFreeSeconds('free_granted', 'available', freeSeconds);
}

/** Credit that a customer paid for, or that we gave with a reason. */
export function creditPostings(kind: CreditKind, amountMicroAud: bigint): Posting[] {
  return moveMoney(kind === 'top_up' ? 'top_ups' : 'adjustments', 'available', amountMicroAud);
}
