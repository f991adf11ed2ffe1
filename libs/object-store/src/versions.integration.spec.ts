import { freshBucket, objectStoreClient, type FreshBucket } from '@currawong/testing';
import type { Client } from 'minio';
import { createObjectStore, type ObjectStore } from '.';

let settings: FreshBucket;
let store: ObjectStore;
let observer: Client;

beforeEach(async () => {
  settings = await freshBucket();
  store = createObjectStore(settings);
  observer = objectStoreClient(settings);
});
afterEach(async () => {
  store.close();
  await settings.drop();
});

const put = (key: string, text: string) =>
  store.putBuffer(key, Buffer.from(text), { contentType: 'text/plain' });

/** As the store itself counts them. */
async function versionsInBucket(): Promise<number> {
  const options = { Delimiter: '', MaxKeys: 1000, IncludeVersion: true };
  return (await observer.listObjectsQuery(settings.bucket, '', '', options)).objects.length;
}

it('in a bucket without versions there is one of each object, and deleted it is gone', async () => {
  await put('a/1', 'one');
  await put('a/2', 'two!');
  await put('b/1', 'kept');
  const versions = await store.listVersions('a/');
  expect(versions.map(({ key, sizeBytes }) => [key, sizeBytes])).toEqual([
    ['a/1', 3],
    ['a/2', 4],
  ]);
  await store.deleteVersions(versions);
  // What is gone already is fine.
  await store.deleteVersions(versions);
  expect(await store.listVersions('a/')).toEqual([]);
  expect(await versionsInBucket()).toBe(1);
});

it('in a bucket that keeps versions, those of before go too, and so do the markers of what was deleted', async () => {
  await put('a/1', 'before');
  await observer.setBucketVersioning(settings.bucket, { Status: 'Enabled' });
  await put('a/1', 'after');
  await put('a/2', 'deleted');
  await store.delete('a/2');
  await put('b/1', 'kept');
  const versions = await store.listVersions('a/');
  expect(versions.map(({ key, isDeleteMarker }) => [key, isDeleteMarker]).sort()).toEqual([
    ['a/1', false],
    ['a/1', false],
    ['a/2', false],
    ['a/2', true],
  ]);
  await store.deleteVersions(versions);
  expect(await store.listVersions('a/')).toEqual([]);
  expect(await versionsInBucket()).toBe(1);
  await store.deleteVersions(await store.listVersions('b/'));
});

it('more than a page of them are listed and deleted', async () => {
  const keys = Array.from({ length: 1_050 }, (_, index) => `many/${index}`);
  for (let start = 0; start < keys.length; start += 50)
    await Promise.all(keys.slice(start, start + 50).map((key) => put(key, 'x')));
  const versions = await store.listVersions('many/');
  expect(new Set(versions.map(({ key }) => key)).size).toBe(1_050);
  await store.deleteVersions(versions);
  expect(await store.listVersions('many/')).toEqual([]);
});

it('where the user may not list versions, the objects are listed and deleted all the same', async () => {
  await put('a/1', 'one');
  const refusing = store as unknown as { connection: { client: Client } };
  const list = refusing.connection.client.listObjectsQuery.bind(refusing.connection.client);
  refusing.connection.client.listObjectsQuery = () =>
    Promise.reject(Object.assign(new Error('Access Denied.'), { name: 'S3Error', code: 'AccessDenied' }));
  const versions = await store.listVersions('a/');
  refusing.connection.client.listObjectsQuery = list;
  expect(versions).toEqual([{ key: 'a/1', sizeBytes: 3, isDeleteMarker: false }]);
  await store.deleteVersions(versions);
  expect(await versionsInBucket()).toBe(0);
});
