import { TranscriptFormat } from '@currawong/contracts';
import { z } from 'zod';
import { unlessEmpty } from './list-query';

/** The query of GET /jobs/{id}. */
export const JobQuery = z.object({
  words: unlessEmpty(z.literal('true', 'must be true, or left out').optional()),
});

/** The query of GET /jobs/{id}/transcript. */
export const TranscriptQuery = z.object({ format: unlessEmpty(TranscriptFormat.default('json')) });
