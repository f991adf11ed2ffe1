import {
  databaseEnvironment,
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
} from '@currawong/config';
import { z } from 'zod';

export const GatewayEnvironment = z.object({
  ...serviceEnvironment.shape,
  ...databaseEnvironment.shape,
  ...natsEnvironment.shape,
  ...storeEnvironment.shape,
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  /** The largest recording accepted. */
  MAX_FILE_BYTES: z.coerce.number().int().positive().default(500_000_000),
  /** An upload slower than this is ended: it would hold a connection for hours. */
  MIN_UPLOAD_BYTES_PER_SECOND: z.coerce.number().int().nonnegative().default(1_000),
  /** ISO 639 codes that the running engine supports, comma-separated. */
  LANGUAGES: z
    .string()
    .default('en')
    .transform((list) => list.split(',').map((code) => code.trim().toLowerCase()))
    .pipe(z.array(z.string().regex(/^[a-z]{2,3}$/)).min(1)),
  /**
   * How long a gateway trusts what it knows of a key. Under the second within which a revoked key must be refused: a
   * connection to the broker that hangs brings no news of a revocation, and is noticed only after 20 seconds.
   */
  KEY_CACHE_SECONDS: z.coerce.number().min(0).default(0.8),
  /** Answers kept in memory so that polling a finished job does not read the store each time. */
  TRANSCRIPT_CACHE_BYTES: z.coerce.number().int().nonnegative().default(32_000_000),
});
export type GatewayConfig = z.infer<typeof GatewayEnvironment>;

export const GATEWAY_CONFIG = Symbol('GatewayConfig');
