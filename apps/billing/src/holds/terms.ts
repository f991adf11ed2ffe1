import type { Terms } from '../ledger/holds';

/** What a minute costs and what a balance must have at least, as configured. New holds keep the price they got. */
export class CurrentTerms implements Terms {
  constructor(
    readonly pricePerMinuteMicroAud: bigint,
    readonly minimumBalanceMicroAud: bigint,
  ) {}
}
