import { freshBucket, objectStoreClient, type FreshBucket } from '@currawong/testing';
import { randomBytes } from 'node:crypto';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'minio';
import { Readable } from 'node:stream';
import { createObjectStore, ObjectNotFound, type ClientPart, type ObjectStore } from '.';

const mebibyte = 1024 * 1024;

let settings: FreshBucket;
let store: ObjectStore;
let observer: Client;
beforeAll(async () => {
  settings = await freshBucket();
  store = createObjectStore(settings);
  observer = objectStoreClient(settings);
});
afterAll(() => store.close());

const plan = (...sizes: number[]): ClientPart[] =>
  sizes.map((sizeBytes, index) => ({ number: index + 1, sizeBytes }));
const put = (url: string, body: Buffer) => fetch(url, { method: 'PUT', body: new Uint8Array(body) });
const pendingUploads = async () =>
  (await observer.listIncompleteUploadsQuery(settings.bucket, '', '', '', '')).uploads.length;

async function begun(key: string, parts: ClientPart[], expiresSeconds = 600) {
  const uploadId = await store.beginParts(key, 'audio/wav');
  const urls = await store.presignParts(key, uploadId, parts, expiresSeconds);
  return { uploadId, urls };
}

it('parts that a client puts in any order, one of them twice, become one object with its media type', async () => {
  const parts = plan(5 * mebibyte, 5 * mebibyte, 7);
  const bytes = parts.map(({ sizeBytes }) => randomBytes(sizeBytes));
  const { uploadId, urls } = await begun('in parts/é+(1)', parts);
  for (const index of [2, 0, 1, 1]) expect((await put(urls[index]!, bytes[index]!)).status).toBe(200);
  expect(await store.completeParts('in parts/é+(1)', uploadId, parts)).toEqual([]);
  expect((await store.getBuffer('in parts/é+(1)')).equals(Buffer.concat(bytes))).toBe(true);
  expect(await store.stat('in parts/é+(1)')).toMatchObject({ contentType: 'audio/wav' });
  // Whoever is asked at the same time, or again.
  expect(await store.completeParts('in parts/é+(1)', uploadId, parts)).toEqual([]);
  // What has been looked at stays what it is.
  const late = await put(urls[2]!, randomBytes(7));
  expect([403, 404]).toContain(late.status);
  expect((await store.getBuffer('in parts/é+(1)')).equals(Buffer.concat(bytes))).toBe(true);
});

it('whoever completes it at the same time is told that it is whole, and it is', async () => {
  const parts = plan(5 * mebibyte, 9);
  const bytes = parts.map(({ sizeBytes }) => randomBytes(sizeBytes));
  for (let round = 0; round < 5; round++) {
    const key = `at once/${round}`;
    const { uploadId, urls } = await begun(key, parts);
    for (const [index, url] of urls.entries()) expect((await put(url, bytes[index]!)).status).toBe(200);
    const asked = Array.from({ length: 5 }, (_, n) =>
      sleep((n * round) % 20).then(() => store.completeParts(key, uploadId, parts)),
    );
    expect(await Promise.all(asked)).toEqual(Array(5).fill([]));
    expect((await store.getBuffer(key)).equals(Buffer.concat(bytes))).toBe(true);
  }
  expect(await pendingUploads()).toBe(0);
});

it('what is missing is said, and nothing is made of the rest', async () => {
  const parts = plan(5 * mebibyte, 9);
  const { uploadId, urls } = await begun('incomplete', parts);
  expect(await store.completeParts('incomplete', uploadId, parts)).toEqual(parts);
  expect((await put(urls[1]!, randomBytes(9))).status).toBe(200);
  expect(await store.completeParts('incomplete', uploadId, parts)).toEqual([parts[0]]);
  await expect(store.stat('incomplete')).rejects.toBeInstanceOf(ObjectNotFound);
  await store.janitor({ olderThanSeconds: 0, prefix: 'incomplete' });
  expect((await put(urls[0]!, randomBytes(5 * mebibyte))).ok).toBe(false);
  await expect(store.completeParts('incomplete', uploadId, parts)).rejects.toBeInstanceOf(ObjectNotFound);
  expect(await pendingUploads()).toBe(0);
});

it('the store takes no more and no fewer bytes than were announced, nothing for another part, and nothing too late', async () => {
  const { urls, uploadId } = await begun('held to it', plan(100));
  for (const sizeBytes of [99, 101, 5 * mebibyte])
    expect((await put(urls[0]!, randomBytes(sizeBytes))).status).toBe(403);
  expect((await put(urls[0]!.replace('partNumber=1', 'partNumber=2'), randomBytes(100))).status).toBe(403);
  expect((await put(urls[0]!.replace('held%20to%20it', 'elsewhere'), randomBytes(100))).status).toBe(403);
  const [expired] = await store.presignParts('held to it', uploadId, plan(100), 1);
  await sleep(2_100);
  expect((await put(expired!, randomBytes(100))).status).toBe(403);
  await store.janitor({ olderThanSeconds: 0, prefix: 'held to it' });
});

it('addresses lead to where clients reach the store', async () => {
  // What a proxy does that keeps the host that the client asked for.
  const { hostname, port } = new URL(settings.endpoint);
  const proxy = http.createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = http.request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const publicEndpoint = `http://localhost:${(proxy.address() as AddressInfo).port}`;
  const reached = createObjectStore({ ...settings, publicEndpoint });
  const uploadId = await reached.beginParts('from outside', 'audio/wav');
  const [url] = await reached.presignParts('from outside', uploadId, plan(10), 600);
  expect(new URL(url!).origin).toBe(publicEndpoint);
  expect((await put(url!, randomBytes(10))).status).toBe(200);
  expect(await reached.completeParts('from outside', uploadId, plan(10))).toEqual([]);
  reached.close();
  proxy.closeAllConnections();
  proxy.close();
});

it('whoever has an address can have no other object copied to it: a header that is not signed counts for nothing', async () => {
  const other = randomBytes(1_000);
  await store.put('of somebody else', Readable.from([other]), { contentType: 'audio/wav' });
  const { uploadId, urls } = await begun('mine', plan(1_000));
  const copySource = { 'x-amz-copy-source': `/${settings.bucket}/of%20somebody%20else` };
  const own = new Uint8Array(randomBytes(1_000));
  const copied = await fetch(urls[0]!, { method: 'PUT', headers: copySource, body: own });
  expect(copied.status).toBe(403);
  expect(await store.completeParts('mine', uploadId, plan(1_000))).toHaveLength(1);
  expect((await fetch(urls[0]!, { method: 'PUT', body: own })).status).toBe(200);
  expect(await store.completeParts('mine', uploadId, plan(1_000))).toEqual([]);
  expect((await store.getBuffer('mine')).equals(Buffer.from(own))).toBe(true);
});
