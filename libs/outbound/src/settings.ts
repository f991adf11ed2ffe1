import { z } from 'zod';
import { parseRange } from './addresses';

/** For the environment of whatever calls customers' addresses. */
export const outboundEnvironment = z.object({
  /**
   * Addresses and ranges, comma-separated, that customers may name although they are not public: receivers inside the
   * operator's own network.
   */
  OUTBOUND_ALLOWED_ADDRESSES: z
    .string()
    .default('')
    .transform((list, context) => {
      try {
        return list
          .split(',')
          .map((one) => one.trim())
          .filter((one) => one !== '')
          .map(parseRange);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    }),
});
