import {
  databaseEnvironment,
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
  storeSettingsTogether,
} from '@currawong/config';
import { z } from 'zod';

const settings = z.object({
  ...serviceEnvironment.shape,
  ...databaseEnvironment.shape,
  ...natsEnvironment.shape,
  ...storeEnvironment.shape,
  /** Recordings up to this length are one chunk: a worker does them in one go. Must be what the workers cut by. */
  CHUNK_SECONDS: z.coerce.number().int().min(10).max(600).default(240),
  /** The longest recording accepted, decoded seconds. */
  MAX_RECORDING_SECONDS: z.coerce.number().int().min(60).default(43_200),
  /** A worker that has said nothing for this long has lost its attempt. */
  WORK_LEASE_SECONDS: z.coerce.number().min(1).default(20),
  /** A failed attempt is repeated after this long; the next one after four times as long. */
  RETRY_DELAY_SECONDS: z.coerce.number().min(0).default(5),
  /** Queued work that nobody claimed for this long is sent again; doubles each time. */
  QUEUE_LEASE_SECONDS: z.coerce.number().min(1).default(60),
  /** Audio that may lie in the stream for each slot of the workers beyond what they are at: short pieces follow at once. */
  DISPATCH_AHEAD_SECONDS: z.coerce.number().min(0).default(30),
  /** Pieces of work that one account may have at the workers at a time, for each duty; any number unless set. */
  ACCOUNT_CONCURRENCY: z.coerce.number().int().min(1).optional(),
  /** Jobs that one account may have that have not ended. */
  ACCOUNT_UNFINISHED_JOBS: z.coerce.number().int().min(1).default(10_000),
  /** An upload of which nothing was heard for this long is abandoned. */
  UPLOAD_LEASE_SECONDS: z.coerce.number().min(1).default(45),
  /** A job under way of which no work is left to wait for is taken up again; longer than a report may wait to be handled. */
  STRANDED_AFTER_SECONDS: z.coerce.number().min(1).default(90),
  /** How long a client may put a recording into the store itself: so long its addresses are good. */
  STORE_UPLOAD_SECONDS: z.coerce.number().int().min(60).max(604_800).default(3_600),
  /** How many such uploads one account may have open. */
  OPEN_UPLOADS_PER_ACCOUNT: z.coerce.number().int().min(1).default(20),
  /** What the test keys of one account may have transcribed in a day (Australia/Sydney), seconds of audio. */
  TEST_SECONDS_PER_DAY: z.coerce.number().int().nonnegative().default(1_800),
  /** How often jobs are compared with what billing has set aside and charged. */
  RECONCILE_INTERVAL_SECONDS: z.coerce.number().min(0.05).default(60),
  SWEEP_INTERVAL_SECONDS: z.coerce.number().min(0.05).default(1),
});
export const JobsEnvironment = settings.superRefine(storeSettingsTogether);
export type JobsConfig = z.infer<typeof JobsEnvironment>;

export const JOBS_CONFIG = Symbol('JobsConfig');
