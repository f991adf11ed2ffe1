import { accept, refuse, type Result } from '@currawong/contracts';
import { audRoundedDown, audRoundedUp } from '../ledger/amounts';
import type { StripePayments } from './stripe';

/** Who takes payments, if anybody, and between which amounts. */
export class TopUpTerms {
  constructor(
    readonly provider: StripePayments | undefined,
    private readonly minimumMicroAud: bigint,
    private readonly maximumMicroAud: bigint,
  ) {}

  /** Whole cents that are allowed, the limits included. */
  get minimumCents(): bigint {
    return (this.minimumMicroAud + 9_999n) / 10_000n;
  }

  get maximumCents(): bigint {
    return this.maximumMicroAud / 10_000n;
  }

  check(amountMicroAud: bigint): Result<Record<string, never>> {
    if (amountMicroAud % 10_000n !== 0n)
      return refuse('invalid_parameter', 'amount_aud: must be in whole cents');
    if (amountMicroAud < this.minimumMicroAud || amountMicroAud > this.maximumMicroAud) {
      const [least, most] = [audRoundedUp(this.minimumMicroAud), audRoundedDown(this.maximumMicroAud)];
      return refuse('invalid_parameter', `amount_aud: must be from ${least} to ${most}`);
    }
    return accept({});
  }
}
