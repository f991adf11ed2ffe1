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
  /**
   * how long customers are still served after SIGTERM, before the grace begins: the time that load balancers take to
   * notice that this process is not ready any more
   */
  DRAIN_DELAY_SECONDS: integerVariable({ min: 0, max: 600 }).default(0),
});

export const databaseEnvironment = z.object({
  DATABASE_URL: urlVariable(['postgres', 'postgresql']),
  DATABASE_POOL_SIZE: integerVariable({ min: 1, max: 200 }).default(10),
});

export const natsEnvironment = z.object({
  NATS_URL: urlVariable(['nats', 'tls'], { many: true }),
  /** of an NKEY user of the broker; instead of user and password in NATS_URL */
  NATS_NKEY_SEED: z
    .string()
    .trim()
    .regex(/^SU[A-Z2-7]{56}$/, 'must be the seed of an NKEY user: SU and 56 more letters and digits')
    .optional(),
  /** copies of every stream in the NATS cluster */
  NATS_STREAM_REPLICAS: integerVariable({ min: 1, max: 5 }).default(1),
});

export const storeEnvironment = z.object({
  S3_ENDPOINT: urlVariable(['http', 'https']),
  S3_BUCKET: z.string(),
  /** both, or neither: then the keys are those of the role below */
  S3_ACCESS_KEY: z.string().optional(),
  S3_SECRET_KEY: z.string().optional(),
  S3_REGION: z.enum(AUSTRALIAN_REGIONS).default('ap-southeast-2'),
  /** bucket in the path instead of the host name: what most stores other than AWS want */
  S3_PATH_STYLE: booleanVariable().default(true),
  /** asked of the store with every object, where a bucket's policy wants to see it asked */
  S3_SERVER_SIDE_ENCRYPTION: z.enum(['AES256', 'aws:kms']).optional(),
  S3_KMS_KEY_ID: z.string().optional(),
  /** set by the cluster where a service account stands for a role (IAM roles for service accounts) */
  AWS_ROLE_ARN: z.string().optional(),
  AWS_WEB_IDENTITY_TOKEN_FILE: z.string().optional(),
  /** the token service, where it is not Amazon's of S3_REGION */
  AWS_ENDPOINT_URL_STS: urlVariable(['https', 'http']).optional(),
});

type StoreEnvironment = z.infer<typeof storeEnvironment>;

/** What no variable of the store says alone: `schema.superRefine(storeSettingsTogether)`. */
export function storeSettingsTogether(
  config: StoreEnvironment,
  context: z.core.$RefinementCtx<StoreEnvironment>,
): void {
  const problem = (message: string) => context.addIssue({ code: 'custom', path: [], message });
  const { S3_ACCESS_KEY, S3_SECRET_KEY, AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE } = config;
  if ((S3_ACCESS_KEY === undefined) !== (S3_SECRET_KEY === undefined))
    problem('S3_ACCESS_KEY and S3_SECRET_KEY: set both, or neither to use the role of the service account');
  else if (
    S3_ACCESS_KEY === undefined &&
    (AWS_ROLE_ARN === undefined || AWS_WEB_IDENTITY_TOKEN_FILE === undefined)
  )
    problem(
      'S3_ACCESS_KEY and S3_SECRET_KEY are not set: they are required, unless the service account has a role ' +
        '(AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE)',
    );
  if (config.S3_KMS_KEY_ID !== undefined && config.S3_SERVER_SIDE_ENCRYPTION !== 'aws:kms')
    problem('S3_KMS_KEY_ID: set S3_SERVER_SIDE_ENCRYPTION=aws:kms as well, or leave it out');
}
