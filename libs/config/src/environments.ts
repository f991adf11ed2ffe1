import { z } from 'zod';
import { booleanVariable, integerVariable, portVariable, urlVariable } from './variables';

/** Where customers' recordings may be: nowhere else, so a deployment elsewhere refuses to start. */
export const AUSTRALIAN_REGIONS = [
  'ap-southeast-2',
  'ap-southeast-4',
  'australiaeast',
  'australiasoutheast',
  'australia-southeast1',
  'australia-southeast2',
] as const;

export type AustralianRegion = (typeof AUSTRALIAN_REGIONS)[number];

/** What every service reads. Combine the parts a service needs: `serviceEnvironment.extend(natsEnvironment.shape)`. */
export const serviceEnvironment = z.object({
  CURRAWONG_REGION: z.enum(AUSTRALIAN_REGIONS).default('ap-southeast-2'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  METRICS_PORT: portVariable().default(9090),
  METRICS_HOST: z.string().default('0.0.0.0'),
  /** how long work in progress may go on after SIGTERM; keep it below the pod's terminationGracePeriodSeconds */
  SHUTDOWN_GRACE_SECONDS: integerVariable({ min: 0, max: 3_600 }).default(25),
});

export const databaseEnvironment = z.object({
  DATABASE_URL: urlVariable(['postgres', 'postgresql']),
  DATABASE_POOL_SIZE: integerVariable({ min: 1, max: 200 }).default(10),
});

export const natsEnvironment = z.object({
  NATS_URL: urlVariable(['nats', 'tls'], { many: true }),
  /** copies of every stream in the NATS cluster */
  NATS_STREAM_REPLICAS: integerVariable({ min: 1, max: 5 }).default(1),
});

export const storeEnvironment = z.object({
  S3_ENDPOINT: urlVariable(['http', 'https']),
  S3_BUCKET: z.string(),
  S3_ACCESS_KEY: z.string(),
  S3_SECRET_KEY: z.string(),
  S3_REGION: z.enum(AUSTRALIAN_REGIONS).default('ap-southeast-2'),
  /** bucket in the path instead of the host name: what most stores other than AWS want */
  S3_PATH_STYLE: booleanVariable().default(true),
});
