import { z } from 'zod';
import { Deletion } from '../deletions';

/** The answer to DELETE /jobs/{id} and GET /jobs/{id}/deletion. */
export const DeletionReceipt = Deletion;
export type DeletionReceipt = z.infer<typeof DeletionReceipt>;

/** The answer to GET /deletions. */
export const DeletionList = z.object({
  deletions: z.array(DeletionReceipt),
  total: z.number().int(),
  page: z.number().int(),
  page_size: z.number().int(),
  total_pages: z.number().int(),
});
export type DeletionList = z.infer<typeof DeletionList>;
