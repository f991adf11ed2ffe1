import type { Facts } from './facts';
import { ledgerAddsUp } from './i1-ledger';
import { everyJobHasOneEnd } from './i2-one-end';
import { chargedOnceOrNot } from './i3-charges';
import { objectsMatchRows } from './i4-objects';
import { receiptsHold } from './i5-receipts';

export const INVARIANTS: Readonly<Record<string, (facts: Facts) => string[]>> = {
  I1: ledgerAddsUp,
  I2: everyJobHasOneEnd,
  I3: chargedOnceOrNot,
  I4: objectsMatchRows,
  I5: receiptsHold,
};

/** @returns what is broken, each with the invariant that it breaks; empty where everything holds */
export function brokenInvariants(facts: Facts): string[] {
  return Object.entries(INVARIANTS).flatMap(([name, check]) =>
    check(facts).map((problem) => `${name}: ${problem}`),
  );
}
