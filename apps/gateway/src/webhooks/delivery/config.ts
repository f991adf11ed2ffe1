import {
  databaseEnvironment,
  integerVariable,
  natsEnvironment,
  secondsVariable,
  serviceEnvironment,
} from '@currawong/config';
import { outboundEnvironment } from '@currawong/outbound';
import { z } from 'zod';
import { RETRY_SECONDS } from '../schedule';

export const WebhooksEnvironment = z.object({
  ...serviceEnvironment.shape,
  ...databaseEnvironment.shape,
  ...natsEnvironment.shape,
  ...outboundEnvironment.shape,
  /** For one attempt as a whole, from the name's lookup to the end of the answer. */
  WEBHOOK_TIMEOUT_SECONDS: secondsVariable().default(15),
  /** Pauses before each further attempt, comma-separated. */
  WEBHOOK_RETRY_SECONDS: z
    .string()
    .regex(/^\d+(\.\d+)?(,\d+(\.\d+)?)*$/, 'must be seconds separated by commas, such as 5,300,1800')
    .transform((list) => list.split(',').map(Number))
    .default([...RETRY_SECONDS]),
  /** Attempts that are under way at a time in this process. */
  WEBHOOK_CONCURRENCY: integerVariable({ min: 1, max: 1_000 }).default(100),
  /** Of those, to one receiver (an account's address), in all processes together. */
  WEBHOOK_CONCURRENCY_PER_RECEIVER: integerVariable({ min: 1, max: 100 }).default(4),
  /** How often it is looked for what has become due. */
  WEBHOOK_POLL_SECONDS: secondsVariable().default(1),
});
export type WebhooksConfig = z.infer<typeof WebhooksEnvironment>;

export const WEBHOOKS_CONFIG = Symbol('WebhooksConfig');
