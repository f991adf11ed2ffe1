import { AUSTRALIAN_REGIONS, type storeEnvironment } from '@currawong/config';
import type { z } from 'zod';
import type { ObjectStoreSettings } from './connection';

/** Only whoever hands out addresses needs to know where others reach the store. */
export type StoreEnvironment = z.infer<typeof storeEnvironment> & { S3_PUBLIC_ENDPOINT?: string | undefined };

/** The bucket that the environment names, and that it must lie in Australia. */
export function objectStoreSettings(environment: StoreEnvironment): ObjectStoreSettings {
  const { AWS_ROLE_ARN: arn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile } = environment;
  const { S3_ACCESS_KEY, S3_SECRET_KEY, S3_SERVER_SIDE_ENCRYPTION: algorithm } = environment;
  const hasKeys = S3_ACCESS_KEY !== undefined;
  return {
    endpoint: environment.S3_ENDPOINT,
    publicEndpoint: environment.S3_PUBLIC_ENDPOINT,
    bucket: environment.S3_BUCKET,
    accessKey: S3_ACCESS_KEY,
    secretKey: S3_SECRET_KEY,
    // Keys that were given win: whoever gives them means them.
    ...(!hasKeys && arn !== undefined && tokenFile !== undefined
      ? { role: { arn, tokenFile, tokenServiceUrl: environment.AWS_ENDPOINT_URL_STS } }
      : {}),
    region: environment.S3_REGION,
    requiredRegions: AUSTRALIAN_REGIONS,
    pathStyle: environment.S3_PATH_STYLE,
    ...(algorithm === undefined ? {} : { encryption: { algorithm, kmsKeyId: environment.S3_KMS_KEY_ID } }),
  };
}
