import { add } from './amounts';
import type { CustomerBooks } from './books';

/**
 * Whether a booking took the balance below the threshold. It compares the books before and after, so that one crossing
 * is told once and the next one not before the balance was above again. What is held counts as there: a hold that is
 * released in the end is no crossing.
 */
export function fellLow(before: CustomerBooks, after: CustomerBooks, thresholdMicroAud: bigint): boolean {
  return !isLow(before, thresholdMicroAud) && isLow(after, thresholdMicroAud);
}

function isLow(books: CustomerBooks, thresholdMicroAud: bigint): boolean {
  const { microAud, freeSeconds } = add(books.available, books.held);
  return freeSeconds === 0n && microAud < thresholdMicroAud;
}
