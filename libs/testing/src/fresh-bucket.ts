import { randomBytes } from 'node:crypto';
import { ensureBucket, type ObjectStoreAddress, objectStoreClient } from '@currawong/local-platform';
import { testServers } from './test-servers';

export interface FreshBucket extends ObjectStoreAddress {
  /** Removes the bucket with everything in it, unfinished uploads too. */
  readonly drop: () => Promise<void>;
}

/** A bucket of its own for one test file. */
export async function freshBucket(): Promise<FreshBucket> {
  const address = { ...testServers().s3, bucket: `test-${randomBytes(6).toString('hex')}` };
  await ensureBucket(address);
  const client = objectStoreClient(address);
  return {
    ...address,
    async drop() {
      for await (const object of client.listObjectsV2(address.bucket, '', true)) {
        await client.removeObject(address.bucket, (object as { name: string }).name);
      }
      for await (const upload of client.listIncompleteUploads(address.bucket, '', true)) {
        await client.removeIncompleteUpload(address.bucket, (upload as { key: string }).key);
      }
      await client.removeBucket(address.bucket);
    },
  };
}
