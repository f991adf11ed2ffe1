import { z } from 'zod';
import { Timestamp } from './primitives';

/** The body of POST /uploads. */
export const NewStoreUpload = z.object({
  filename: z.string('must be the name of the file').min(1, 'must be the name of the file').max(1_000),
  size_bytes: z
    .number('must be the length of the file in bytes')
    .int('must be the length of the file in bytes')
    .min(1, 'the file is empty'),
});
export type NewStoreUpload = z.infer<typeof NewStoreUpload>;

/** The answer to POST /uploads. */
export const StoreUpload = z.object({
  upload_id: z.uuid(),
  part_size_bytes: z.number().int(),
  parts: z.array(z.object({ part_number: z.number().int(), size_bytes: z.number().int(), url: z.url() })),
  expires_at: Timestamp,
});
export type StoreUpload = z.infer<typeof StoreUpload>;
