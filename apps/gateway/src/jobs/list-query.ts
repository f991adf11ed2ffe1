import { JobStatus } from '@currawong/contracts';
import { z } from 'zod';

/** Pages beyond this are empty, and asked for as this one: the database counts no further than 64 bits. */
const FURTHEST_PAGE = 1_000_000_000_000;

const wholeNumber = (rule: string, fallback: number, most: number) =>
  z
    .string(rule)
    .regex(/^\d+$/, rule)
    .transform((digits) => Math.min(Number(digits), FURTHEST_PAGE))
    .pipe(z.number().int().min(1, rule).max(most, rule))
    .default(fallback);

/** A form sends the fields that were left empty as well. */
export const unlessEmpty = <S extends z.ZodType>(schema: S) =>
  z.preprocess((sent) => (sent === '' ? undefined : sent), schema);

const PAGE_RULE = 'must be a whole number, 1 or more';
const PAGE_SIZE_RULE = 'must be a whole number from 1 to 100';

/** The query of GET /deletions, and a part of that of GET /jobs. */
export const PageQuery = z.object({
  page: unlessEmpty(wholeNumber(PAGE_RULE, 1, FURTHEST_PAGE)),
  page_size: unlessEmpty(wholeNumber(PAGE_SIZE_RULE, 20, 100)),
});

/** The query of GET /jobs. */
export const ListQuery = PageQuery.extend({
  status: unlessEmpty(z.enum(JobStatus.options, `must be one of ${JobStatus.options.join(', ')}`).optional()),
});
