import { databaseEnvironment, integerVariable, urlVariable } from '@currawong/config';
import { z } from 'zod';
import { isAbn } from './statements/abn';

const price = () => integerVariable({ min: 0, max: 1_000_000_000 });
// Below this the payment provider takes nothing; above it a figure was mistyped.
const topUp = () => integerVariable({ min: 500_000, max: 100_000_000_000 });

/** Prices and amounts are micro-AUD: 20000 is AUD 0.02. */
const settings = databaseEnvironment.extend({
  PRICE_PER_MINUTE_MICRO_AUD: price().default(20_000),
  PRICE_PER_MINUTE_WITH_ANALYSIS_MICRO_AUD: price().default(30_000),
  MINIMUM_BALANCE_MICRO_AUD: integerVariable({ min: 0, max: 1_000_000_000_000 }).default(500_000),
  TOP_UP_MINIMUM_MICRO_AUD: topUp().default(5_000_000),
  TOP_UP_MAXIMUM_MICRO_AUD: topUp().default(1_000_000_000),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_API_URL: urlVariable(['http', 'https']).default('https://api.stripe.com'),
  SUPPLIER_NAME: z.string().optional(),
  SUPPLIER_ABN: z
    .string()
    .transform((text) => text.replaceAll(' ', ''))
    .refine(isAbn, 'must be an Australian Business Number: 11 digits, of which this is not one')
    .optional(),
  SUPPLIER_ADDRESS: z.string().optional(),
});

/** What billing reads besides what every service does; what no variable says alone is checked together. */
export const billingEnvironment = settings.superRefine((config, context) => {
  const problem = (message: string) => context.addIssue({ code: 'custom', path: [], message });
  if ((config.STRIPE_SECRET_KEY === undefined) !== (config.STRIPE_WEBHOOK_SECRET === undefined))
    problem('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: set both to take payments by card, or neither');
  if (config.SUPPLIER_ABN !== undefined && config.SUPPLIER_NAME === undefined)
    problem('SUPPLIER_NAME is not set: a tax invoice needs the name that belongs to SUPPLIER_ABN');
  if (config.TOP_UP_MINIMUM_MICRO_AUD > config.TOP_UP_MAXIMUM_MICRO_AUD)
    problem('TOP_UP_MINIMUM_MICRO_AUD: must not be more than TOP_UP_MAXIMUM_MICRO_AUD');
});

export type BillingEnvironment = z.infer<typeof billingEnvironment>;
