import { z } from 'zod';
import { defineRequest } from './define';

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
  total_topped_up_micro_aud: MicroAud,
  total_used_micro_aud: MicroAud,
  /** Calendar month in Australia/Sydney, as dates YYYY-MM-DD. */
  period_start: z.iso.date(),
  period_end: z.iso.date(),
  /** Seconds of audio captured in the period, free ones included. */
  period_seconds_used: Seconds,
});
export type AccountSummary = z.infer<typeof AccountSummary>;

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

/**
 * Sets the price of `seconds` of audio aside for a job, free seconds first. Idempotent by job: a second call with
 * more seconds raises the same hold, one with fewer leaves it. Refuses with `insufficient_credit`.
 */
export const HoldForJob = defineRequest(
  'billing.hold_for_job',
  z.object({ account_id: z.uuid(), job_id: z.uuid(), seconds: Seconds }),
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
    open_holds: z.array(z.object({ job_id: z.uuid(), account_id: z.uuid(), seconds: Seconds })),
    problems: z.array(z.string()),
  }),
);
