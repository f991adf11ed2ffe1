import { databaseEnvironment, integerVariable } from '@currawong/config';
import type { z } from 'zod';

/** What billing reads besides what every service does. Prices are micro-AUD: 20000 is AUD 0.02. */
export const billingEnvironment = databaseEnvironment.extend({
  PRICE_PER_MINUTE_MICRO_AUD: integerVariable({ min: 0, max: 1_000_000_000 }).default(20_000),
  MINIMUM_BALANCE_MICRO_AUD: integerVariable({ min: 0, max: 1_000_000_000_000 }).default(500_000),
});

export type BillingEnvironment = z.infer<typeof billingEnvironment>;
