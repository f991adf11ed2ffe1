import { z } from 'zod';
import { Month, Statement, TopUpBody, TopUpList, UsageBreakdown } from './api';
import { defineRequest, defineStreamMessage } from './define';

/** Money is an integer of micro-AUD (10^-6 AUD) wherever it is not being shown to a person. */
export const MicroAud = z.number().int();
const Seconds = z.number().int().nonnegative();

/** What an account has and has used. `available` is what can still be spent: holds are already taken off. */
export const AccountSummary = z.object({
  account_id: z.uuid(),
  available_micro_aud: MicroAud,
  held_micro_aud: MicroAud,
  free_seconds_available: Seconds,
  price_per_minute_micro_aud: MicroAud,
  /** With the analysis of tone and sentiment; absent where a process of before an upgrade answers. */
  price_per_minute_with_analysis_micro_aud: MicroAud.optional(),
  /**
   * All money that ever came in, whoever gave it: top-ups paid by card, credit booked by the operator, adjustments and
   * credit at the opening. So `total_topped_up - total_used = available + held`; a statement tells the kinds apart.
   */
  total_topped_up_micro_aud: MicroAud,
  total_used_micro_aud: MicroAud,
  /** Calendar month in Australia/Sydney, as dates YYYY-MM-DD. */
  period_start: z.iso.date(),
  period_end: z.iso.date(),
  /** Seconds of audio captured in the period, free ones included. */
  period_seconds_used: Seconds,
});
export type AccountSummary = z.infer<typeof AccountSummary>;

/** A hold as others may see it. */
export const HoldView = z.object({
  job_id: z.uuid(),
  account_id: z.uuid(),
  state: z.enum(['pending', 'captured', 'released']),
  /** Held, or once captured charged, seconds; free ones included. */
  seconds: Seconds,
  charged_micro_aud: MicroAud.nullable(),
  placed_at: z.iso.datetime(),
});
export type HoldView = z.infer<typeof HoldView>;

/** Makes the account's books; a repetition changes nothing. Free seconds are granted once, at the first call. */
export const OpenAccount = defineRequest(
  'billing.open_account',
  z.object({ account_id: z.uuid(), free_seconds: Seconds }),
  AccountSummary,
);

/** Adds prepaid credit. `reference` makes it idempotent: the same reference is booked once. */
export const AddCredit = defineRequest(
  'billing.add_credit',
  z.object({
    account_id: z.uuid(),
    amount_micro_aud: MicroAud.positive(),
    kind: z.enum(['top_up', 'adjustment']),
    reason: z.string().min(1).max(500),
    reference: z.string().min(1).max(200),
  }),
  AccountSummary,
);

export const GetAccountSummary = defineRequest(
  'billing.get_account_summary',
  z.object({ account_id: z.uuid() }),
  AccountSummary,
);

/** Refuses with `insufficient_credit` where no recording at all could be paid for; holds nothing. */
export const CheckCredit = defineRequest(
  'billing.check_credit',
  z.object({ account_id: z.uuid() }),
  z.object({}),
);

/** What a job is priced as: transcription with speakers, or with the analysis of tone and sentiment on top. */
export const PriceOption = z.enum(['transcription', 'analysis']);
export type PriceOption = z.infer<typeof PriceOption>;

/**
 * Sets the price of `seconds` of audio aside for a job, free seconds first. Idempotent by job: a second call with
 * more seconds raises the same hold, one with fewer leaves it. Refuses with `insufficient_credit`.
 */
export const HoldForJob = defineRequest(
  'billing.hold_for_job',
  z.object({
    account_id: z.uuid(),
    job_id: z.uuid(),
    seconds: Seconds,
    option: PriceOption.optional(),
    /** The key that the recording was submitted with; null for the dashboard. */
    key_id: z.uuid().nullable().optional(),
  }),
  z.object({ held_seconds: Seconds, price_per_minute_micro_aud: MicroAud }),
);

/**
 * Charges a job for its measured seconds at the price it was held at and gives back the rest of the hold. Idempotent:
 * a repeated call answers with the first charge. Where the hold is too small the difference is taken from what the
 * account has available, or the whole capture is refused with `insufficient_credit` and the hold stays.
 */
export const CaptureForJob = defineRequest(
  'billing.capture_for_job',
  z.object({ job_id: z.uuid(), seconds: Seconds }),
  z.object({ charged_micro_aud: MicroAud, charged_free_seconds: Seconds }),
);

/**
 * Gives a job's whole hold back. Idempotent; a captured hold is `conflict`. Where there is none yet, none can be placed
 * for this job any more: a hold that was asked for before and arrives late would otherwise stay open for ever.
 */
export const ReleaseForJob = defineRequest(
  'billing.release_for_job',
  z.object({ account_id: z.uuid(), job_id: z.uuid(), reason: z.string().min(1).max(200) }),
  z.object({ released_micro_aud: MicroAud, released_free_seconds: Seconds }),
);

/** Recomputes every balance from the journal and compares: empty `problems` means that the books are right. */
export const CheckLedger = defineRequest(
  'billing.check_ledger',
  z.object({}),
  z.object({
    entries: z.number().int(),
    accounts: z.number().int(),
    /** The oldest ones, at most 4,000, because an answer must fit into one message; `ListOpenHolds` pages through all. */
    open_holds: z.array(z.object({ job_id: z.uuid(), account_id: z.uuid(), seconds: Seconds })),
    /** How many there are in all. */
    open_holds_total: z.number().int(),
    problems: z.array(z.string()),
  }),
);

/** What billing has set aside or charged for these jobs; a job that is not listed has no hold. At most 500 at once. */
export const DescribeHolds = defineRequest(
  'billing.describe_holds',
  z.object({ job_ids: z.array(z.uuid()).max(500) }),
  z.object({ holds: z.array(HoldView) }),
);

/** Open holds placed more than `older_than_seconds` ago, by job id; the following page begins after `after_job_id`. */
export const ListOpenHolds = defineRequest(
  'billing.list_open_holds',
  z.object({
    older_than_seconds: z.number().nonnegative(),
    after_job_id: z.uuid().nullable(),
    limit: z.number().int().min(1).max(500),
  }),
  z.object({ holds: z.array(HoldView) }),
);

/**
 * Lines are in the order of booking, at most 500 of them. Without a month it is the current one in Sydney, by billing's
 * clock; the answer names it. Refuses with `account_not_found`, and with `invalid_parameter` where the month has not begun.
 */
export const GetStatement = defineRequest(
  'billing.get_statement',
  z.object({
    account_id: z.uuid(),
    month: Month.optional(),
    after: z.string().nullable(),
    limit: z.number().int().min(1).max(500),
  }),
  Statement.omit({ customer: true }),
);

/**
 * Captured seconds and charges of a month, per Sydney day and per key. Without a month it is the current one in Sydney, by
 * billing's clock. Refuses with `account_not_found`, and with `invalid_parameter` where the month has not begun.
 */
export const GetUsageBreakdown = defineRequest(
  'billing.get_usage_breakdown',
  z.object({ account_id: z.uuid(), month: Month.optional() }),
  z.object({
    month: Month,
    days: UsageBreakdown.shape.days,
    keys: z.array(UsageBreakdown.shape.keys.element.omit({ name: true })),
  }),
);

/**
 * Opens a payment page for a top-up. Refuses with `payments_unavailable` where none is set up, with
 * `invalid_parameter` outside of the allowed amounts, with `account_not_found`, and with `unavailable` where the payment
 * provider gave no page: then nothing is left open. The customer comes back to `return_url`, to which `top-up=<id>` is
 * added. It waits for the provider: give it a deadline of 15 seconds.
 */
export const StartTopUp = defineRequest(
  'billing.start_top_up',
  z.object({
    account_id: z.uuid(),
    email: z.email(),
    amount_micro_aud: MicroAud.positive(),
    return_url: z.url(),
  }),
  TopUpBody,
);

export const ListTopUps = defineRequest(
  'billing.list_top_ups',
  z.object({ account_id: z.uuid() }),
  TopUpList,
);

/**
 * An event of the payment provider, as its webhook received it: the body's bytes as base64, unparsed, because the
 * signature covers them. Refuses with `invalid_parameter` when the signature is wrong or too old, and with
 * `payments_unavailable` where none is set up. `handled` is false for events that concern no top-up of ours. Idempotent.
 */
export const TakePaymentEvent = defineRequest(
  'billing.take_payment_event',
  z.object({ body_base64: z.string(), signature: z.string() }),
  z.object({ handled: z.boolean() }),
);

/**
 * From when on a low balance is worth a message; null switches it off. Refuses with `account_not_found`.
 * `revision` grows with every change: what comes late with an older one is accepted and ignored.
 */
export const SetLowBalanceNotice = defineRequest(
  'billing.set_low_balance_notice',
  z.object({
    account_id: z.uuid(),
    threshold_micro_aud: MicroAud.positive().nullable(),
    revision: z.number().int().positive().optional(),
  }),
  z.object({}),
);

/**
 * An account's balance, what is held included, has fallen below its threshold with no free seconds left; once until it
 * was above again. What is held counts so that a job which is not charged in the end causes no message.
 */
export const BalanceLow = defineStreamMessage(
  'CURRAWONG_EVENTS',
  'events.balance_low',
  z.object({ account_id: z.uuid(), available_micro_aud: MicroAud, threshold_micro_aud: MicroAud }),
);
