import { createObjectStore, StoreUnavailable } from '@currawong/object-store';
import { objectStoreClient, testServers } from '@currawong/testing';
import { randomBytes } from 'node:crypto';
import { prepareStore } from './prepare-store';

const address = { ...testServers().s3, bucket: `test-${randomBytes(6).toString('hex')}` };
afterAll(() => objectStoreClient(address).removeBucket(address.bucket));

it('makes the bucket once, leaves it empty, and finds it the next time', async () => {
  const store = createObjectStore(address);
  expect(await prepareStore(store, 20_000)).toBe(true);
  expect(await prepareStore(store, 20_000)).toBe(false);
  const left = [];
  for await (const object of store.list('')) left.push(object.key);
  expect(left).toEqual([]);
  store.close();
});

it.each([
  ['that is away', { endpoint: 'http://127.0.0.1:1' }],
  ['that does not know the key', { secretKey: 'another' }],
])('a store %s is waited for, then reported', async (_, wrong) => {
  const store = createObjectStore({ ...address, ...wrong });
  const began = performance.now();
  await expect(prepareStore(store, 1_000)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(performance.now() - began).toBeGreaterThan(1_000);
  store.close();
});
