import { createLogger, Startup } from '@currawong/telemetry';
import { Module, type DynamicModule } from '@nestjs/common';
import { asStoreError, faultOf, StoreUnavailable } from './errors';
import { createObjectStore, ObjectStore } from './object-store';
import { objectStoreSettings, type StoreEnvironment } from './settings';

/**
 * Makes the bucket injectable everywhere. While the store cannot be reached, or has no such bucket yet, the process
 * waits; with a bucket outside Australia it does not start.
 */
@Module({})
export class ObjectStoreModule {
  static forRoot(environment: StoreEnvironment): DynamicModule {
    return {
      module: ObjectStoreModule,
      global: true,
      providers: [
        {
          provide: ObjectStore,
          useFactory: async (startup: Startup = new Startup(createLogger('object-store'))) => {
            const store = createObjectStore(objectStoreSettings(environment));
            await startup.waitFor('the object store', () => missing(store));
            return store;
          },
          inject: [{ token: Startup, optional: true }],
        },
      ],
      exports: [ObjectStore],
    };
  }
}

/** What keeps the store from being used, with what to do about it. @throws WrongRegion */
async function missing(store: ObjectStore): Promise<string | undefined> {
  try {
    await store.verifyRegion();
    return undefined;
  } catch (error) {
    const known = asStoreError(error, '');
    if (!(known instanceof StoreUnavailable)) throw known;
    const { code } = faultOf(known.cause);
    return `${known.message}. ${REMEDIES[code] ?? remedy(known)}`;
  }
}

const KEYS = 'Correct S3_ACCESS_KEY and S3_SECRET_KEY, or what the role of this workload may do.';
const REMEDIES: Record<string, string> = {
  AccessDenied: KEYS,
  Forbidden: KEYS,
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: KEYS,
};

function remedy({ message }: StoreUnavailable): string {
  if (message.includes('bucket does not exist'))
    return 'Make the bucket that S3_BUCKET names, or correct S3_BUCKET.';
  if (message.includes('token'))
    return 'Look at AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE and whom the role trusts.';
  return 'Start the store at S3_ENDPOINT, let this process reach it, or correct S3_ENDPOINT.';
}
