import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshBucket, objectStoreClient, type FreshBucket } from '@currawong/testing';
import { createObjectStore, ObjectNotFound, ObjectTooLarge, RangeOutsideObject, type ObjectStore } from '.';

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
const contentType = 'application/octet-stream';
let settings: FreshBucket;
let store: ObjectStore;

beforeAll(async () => {
  settings = await freshBucket();
  store = createObjectStore(settings);
  await store.putBuffer('bytes', bytes, { contentType });
});
afterAll(() => store.close());

async function whole(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it.each([
  [undefined, bytes],
  [{ start: 0 }, bytes],
  [{ start: 0, end: 1 }, bytes.subarray(0, 1)],
  [{ start: 10, end: 20 }, bytes.subarray(10, 20)],
  [{ start: 990 }, bytes.subarray(990)],
  [{ start: 990, end: 5000 }, bytes.subarray(990)],
])('range %j holds the bytes from start up to, not including, end', async (range, expected) => {
  expect(await whole(await store.get('bytes', range))).toEqual(expected);
  expect(await store.getBuffer('bytes', range, 1000)).toEqual(expected);
});

it('a range that begins beyond the end is an error of its own', async () => {
  await expect(store.getBuffer('bytes', { start: 1000, end: 1001 }, 10)).rejects.toBeInstanceOf(
    RangeOutsideObject,
  );
});

it('an empty range is a mistake of the program', async () => {
  await expect(store.getBuffer('bytes', { start: 5, end: 5 }, 10)).rejects.toBeInstanceOf(RangeError);
});

it('a read into memory stops at the size that was allowed', async () => {
  await expect(store.getBuffer('bytes', undefined, 999)).rejects.toEqual(new ObjectTooLarge(999));
});

it('an absent object is not found, and the message names nothing but the key', async () => {
  const reads = [
    () => store.get('absent'),
    () => store.stat('absent'),
    () => store.getBuffer('absent', undefined, 1),
  ];
  for (const read of reads) {
    const failure = await read().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ObjectNotFound);
    expect((failure as Error).message).toBe('No object is stored under absent');
  }
});

it('a reader that leaves early gives the connection up without a crash', async () => {
  await store.putBuffer('long', Buffer.alloc(8 * 1024 * 1024), { contentType });
  const stream = await store.get('long');
  for await (const chunk of stream) {
    expect(chunk).toBeDefined();
    break;
  }
  expect(stream.destroyed).toBe(true);
  await store.check();
});

it('a signal ends a read under way', async () => {
  const controller = new AbortController();
  const stream = await store.get('long', undefined, controller.signal);
  controller.abort(new Error('enough'));
  await expect(whole(stream)).rejects.toThrow('enough');
});

it('deleting is idempotent', async () => {
  await store.putBuffer('short-lived', bytes, { contentType });
  await store.delete('short-lived');
  await store.delete('short-lived');
  await expect(store.stat('short-lived')).rejects.toBeInstanceOf(ObjectNotFound);
});

it('a prefix is listed whole and deleted whole, beyond one page of answers, and nothing else is', async () => {
  const keys = Array.from({ length: 1003 }, (_, index) => `work/a/${String(index).padStart(4, '0')}.json`);
  const queue = [...keys, 'work/b/0.json'];
  const drain = async () => {
    for (let key = queue.pop(); key; key = queue.pop())
      await store.putBuffer(key, Buffer.from('{}'), { contentType });
  };
  await Promise.all(Array.from({ length: 8 }, drain));
  const listed: string[] = [];
  for await (const { key } of store.list('work/a/')) listed.push(key);
  expect(listed).toEqual(keys);
  expect(await store.deletePrefix('work/a/')).toBe(1003);
  expect(await store.deletePrefix('work/a/')).toBe(0);
  const left: string[] = [];
  for await (const { key } of store.list('work/')) left.push(key);
  expect(left).toEqual(['work/b/0.json']);
  await expect(store.deletePrefix('')).rejects.toBeInstanceOf(RangeError);
});

it('a signed address gives the object, under the name a browser shall save it as', async () => {
  const url = await store.presignGet('bytes', { expiresSeconds: 60, filename: 'Gespräch 1.mp3' });
  const response = await fetch(url);
  expect(response.headers.get('content-disposition')).toBe(
    "attachment; filename*=UTF-8''Gespr%C3%A4ch%201.mp3",
  );
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  const forged = await fetch(url.replace('bytes?', 'long?'));
  expect(forged.status).toBe(403);
});

it('the janitor aborts old unfinished uploads and leaves young ones', async () => {
  const { bucket } = settings;
  const client = objectStoreClient(settings);
  const uploadId = await client.initiateNewMultipartUpload(bucket, 'audio/orphan', {});
  const part = {
    bucketName: bucket,
    objectName: 'audio/orphan',
    uploadID: uploadId,
    partNumber: 1,
    headers: {},
  };
  await client.uploadPart(part, Buffer.alloc(5 * 1024 * 1024));
  expect(await store.janitor({ olderThanSeconds: 3600 })).toBe(0);
  await sleep(1500);
  expect(await store.janitor({ olderThanSeconds: 1 })).toBe(1);
  expect(await store.janitor({ olderThanSeconds: 0 })).toBe(0);
  expect(await client.findUploadId(bucket, 'audio/orphan')).toBeUndefined();
});

it('a store without regions leaves the configured one standing', async () => {
  await expect(store.verifyRegion()).resolves.toMatchObject({ region: settings.region });
});
