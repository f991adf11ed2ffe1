import type { PriceOption } from '@currawong/contracts';
import type { Terms } from '../ledger/holds';

/** What a minute costs and what a balance must have at least, as configured. New holds keep the price they got. */
export class CurrentTerms {
  constructor(
    private readonly pricesPerMinuteMicroAud: Readonly<Record<PriceOption, bigint>>,
    private readonly minimumBalanceMicroAud: bigint,
  ) {}

  of(option: PriceOption): Terms {
    return {
      pricePerMinuteMicroAud: this.pricesPerMinuteMicroAud[option],
      minimumBalanceMicroAud: this.minimumBalanceMicroAud,
    };
  }
}
