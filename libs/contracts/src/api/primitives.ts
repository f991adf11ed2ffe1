import { z } from 'zod';

/** ISO 8601 in UTC, ending in Z. */
export const Timestamp = z.iso.datetime();

/** An amount in AUD to the micro-AUD, as text: `"-0.013333"`. Text, because a JSON number would be rounded by some readers. */
export const ExactAud = z.string().regex(/^-?\d+\.\d{6}$/);

/** An amount in AUD in whole cents, as text: `"12.34"`. */
export const CentsAud = z.string().regex(/^-?\d+\.\d{2}$/);

/** A calendar month in Australia/Sydney: `2026-11`. */
export const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');

/** Every error. */
export const ErrorBody = z.object({ detail: z.string() });

/** An answer that says only that it was done. */
export const DoneBody = z.object({ status: z.string() });
