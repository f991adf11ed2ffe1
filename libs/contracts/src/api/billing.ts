import { z } from 'zod';
import { CentsAud, ExactAud, Month, Timestamp } from './primitives';

/** The answer to GET /usage. */
export const UsageBody = z.object({
  billing_period_start: z.iso.date(),
  billing_period_end: z.iso.date(),
  included_minutes: z.literal(0),
  minutes_used: z.number(),
  minutes_remaining: z.literal(0),
  plan_name: z.literal('Pay As You Go'),
  balance_aud: z.number(),
  price_per_minute_aud: z.number(),
});
export type UsageBody = z.infer<typeof UsageBody>;

/** The answer to GET /credit. */
export const CreditBody = z.object({
  balance_aud: CentsAud,
  price_per_minute_aud: CentsAud,
  /** Everything that was ever credited: top-ups, the operator's credit and adjustments. */
  total_topped_up_aud: CentsAud,
  total_used_aud: CentsAud,
  estimated_remaining_minutes: z.number().int(),
  free_minutes_remaining: z.number().int(),
  price_per_minute_with_analysis_aud: CentsAud.nullable(),
});
export type CreditBody = z.infer<typeof CreditBody>;

const Used = z.object({
  audio_seconds: z.number().int(),
  jobs: z.number().int(),
  cost_aud: ExactAud,
});

/** The answer to GET /usage/breakdown: finished live jobs of a month, per day (Australia/Sydney) and per key. */
export const UsageBreakdown = z.object({
  month: Month,
  /** Every day of the month up to today, those without usage as well. */
  days: z.array(Used.extend({ date: z.iso.date() })),
  /** `key_id` is null for what was submitted in the dashboard; `name` is null with it. */
  keys: z.array(Used.extend({ key_id: z.uuid().nullable(), name: z.string().nullable() })),
});
export type UsageBreakdown = z.infer<typeof UsageBreakdown>;

export const StatementLineKind = z.enum(['free_minutes', 'top_up', 'adjustment', 'job', 'release']);
export type StatementLineKind = z.infer<typeof StatementLineKind>;

/**
 * One line of a statement. A job's line is its charge; a release's line says what had been set aside for a job that
 * was not charged, and moves nothing.
 */
export const StatementLine = z.object({
  id: z.string(),
  booked_at: Timestamp,
  kind: StatementLineKind,
  description: z.string(),
  job_id: z.uuid().nullable(),
  key_id: z.uuid().nullable(),
  /** Of a job: what was charged for, free seconds included. */
  audio_seconds: z.number().int().nullable(),
  price_per_minute_aud: ExactAud.nullable(),
  amount_aud: ExactAud,
  /** Of a top-up: the GST contained in it, one eleventh, to the cent; null where the supplier has no ABN. */
  gst_aud: CentsAud.nullable(),
  /** Free seconds granted or used (negative). */
  free_seconds: z.number().int(),
  balance_after_aud: ExactAud,
  free_seconds_after: z.number().int(),
});
export type StatementLine = z.infer<typeof StatementLine>;

/**
 * The answer to GET /statement. `opening_balance_aud` plus the amounts of all lines is `closing_balance_aud`, to the
 * micro-AUD. Of the current month `closing_balance_aud` less `held_aud` is what can be spent.
 */
export const Statement = z.object({
  month: Month,
  period_start: z.iso.date(),
  period_end: z.iso.date(),
  timezone: z.literal('Australia/Sydney'),
  currency: z.literal('AUD'),
  /** Whether this statement is a tax invoice: it has top-ups, and the supplier is registered for GST. */
  tax_invoice: z.boolean(),
  /** Names this statement on a tax invoice; null where it is none. */
  invoice_number: z.string().nullable(),
  /** Of a month that is over the day after its end, else today, in Sydney. */
  issued_on: z.iso.date(),
  supplier: z.object({ name: z.string(), abn: z.string().nullable(), address: z.string().nullable() }),
  customer: z.object({ name: z.string().nullable(), email: z.string() }),
  opening_balance_aud: ExactAud,
  closing_balance_aud: ExactAud,
  opening_free_seconds: z.number().int(),
  closing_free_seconds: z.number().int(),
  /** Set aside for jobs that have not ended; null for months that are over. */
  held_aud: ExactAud.nullable(),
  totals: z.object({
    topped_up_aud: ExactAud,
    gst_included_aud: CentsAud,
    adjusted_aud: ExactAud,
    used_aud: ExactAud,
    audio_seconds: z.number().int(),
    jobs: z.number().int(),
  }),
  lines: z.array(StatementLine),
  /** The `after` of the following page; null on the last. */
  next_after: z.string().nullable(),
});
export type Statement = z.infer<typeof Statement>;

export const StatementQuery = z.object({
  /** The current month unless given. */
  month: Month.optional(),
  format: z.enum(['json', 'csv'], 'must be one of json, csv').default('json'),
  after: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the next_after of the page before')
    .optional(),
});

/** The body of POST /top-ups. */
export const NewTopUp = z.object({
  amount_aud: z
    .string('must be an amount in AUD such as 25 or 12.50')
    .regex(/^\d{1,6}(\.\d{1,2})?$/, 'must be an amount in AUD such as 25 or 12.50'),
});

export const TopUpBody = z.object({
  id: z.uuid(),
  amount_aud: CentsAud,
  state: z.enum(['open', 'paid', 'expired', 'failed']),
  created_at: Timestamp,
  paid_at: Timestamp.nullable(),
  /** Where to pay; null once that is no longer possible. */
  checkout_url: z.url().nullable(),
});
export type TopUpBody = z.infer<typeof TopUpBody>;

/** The answer to GET /top-ups: the newest twenty. */
export const TopUpList = z.object({
  /** Whether card payments are set up on this installation. */
  available: z.boolean(),
  minimum_aud: CentsAud,
  maximum_aud: CentsAud,
  top_ups: z.array(TopUpBody),
});
export type TopUpList = z.infer<typeof TopUpList>;
