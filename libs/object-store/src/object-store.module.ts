import { AUSTRALIAN_REGIONS, type storeEnvironment } from '@currawong/config';
import { Module, type DynamicModule } from '@nestjs/common';
import type { z } from 'zod';
import { createObjectStore, ObjectStore } from './object-store';

/** Makes the bucket injectable everywhere; the process does not start with a bucket outside Australia. */
@Module({})
export class ObjectStoreModule {
  static forRoot(environment: z.infer<typeof storeEnvironment>): DynamicModule {
    return {
      module: ObjectStoreModule,
      global: true,
      providers: [
        {
          provide: ObjectStore,
          useFactory: async () => {
            const store = createObjectStore({
              endpoint: environment.S3_ENDPOINT,
              bucket: environment.S3_BUCKET,
              accessKey: environment.S3_ACCESS_KEY,
              secretKey: environment.S3_SECRET_KEY,
              region: environment.S3_REGION,
              requiredRegions: AUSTRALIAN_REGIONS,
            });
            await store.verifyRegion();
            return store;
          },
        },
      ],
      exports: [ObjectStore],
    };
  }
}
