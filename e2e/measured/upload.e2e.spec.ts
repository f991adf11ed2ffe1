import { createObjectStore } from '@currawong/object-store';
import { objectStoreClient, startPlatform, type TestPlatform } from '@currawong/testing';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { newCustomer, type Client } from '../client';
import { wav } from '../recordings';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

jest.setTimeout(120_000);

const MEGABYTE = 1_000_000;

let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform({
    env: { RECOGNIZER: 'null', UPLOAD_LEASE_SECONDS: '4', SWEEP_INTERVAL_SECONDS: '0.2' },
  });
  customer = await newCustomer(platform, { creditAud: '500' });
}, 120_000);

afterAll(() => platform?.stop());

/** Resident memory of the gateway, read from the kernel. */
function gatewayBytes(): number {
  const status = readFileSync(`/proc/${platform.pids()['gateway']}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

/** Sends the head of a multipart body and then `megabytes` of sound, as fast as the gateway takes it. */
async function upload(
  megabytes: number,
  onMegabyte: (sent: number) => boolean = () => true,
): Promise<number | 'aborted'> {
  const header = wav(0).subarray(0, 44);
  header.writeUInt32LE(0xffffffff, 4);
  header.writeUInt32LE(0xffffffff, 40);
  return new Promise((resolve, reject) => {
    const call = request(`${platform.baseUrl}/api/v1/transcribe`, {
      method: 'POST',
      headers: { 'X-API-Key': customer.apiKey!, 'Content-Type': 'multipart/form-data; boundary=frontier' },
    });
    call.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    call.on('error', (error) => (call.destroyed ? resolve('aborted') : reject(error)));
    call.write('--frontier\r\nContent-Disposition: form-data; name="file"; filename="long.wav"\r\n\r\n');
    call.write(header);
    const block = Buffer.alloc(MEGABYTE);
    let sent = 0;
    const more = () => {
      while (sent < megabytes) {
        if (!onMegabyte(sent)) return call.destroy();
        sent++;
        if (!call.write(block)) return call.once('drain', more);
      }
      call.end('\r\n--frontier--\r\n');
    };
    more();
  });
}

async function recordingsInStore(): Promise<string[]> {
  const store = createObjectStore(platform.s3);
  const keys = [];
  for await (const { key } of store.list('audio/')) keys.push(key);
  return keys;
}

async function unfinishedUploads(): Promise<number> {
  const client = objectStoreClient(platform.s3);
  const uploads = await client.listIncompleteUploads(platform.s3.bucket, '', true).toArray();
  return uploads.length;
}

it('499 MB pass through a gateway whose memory stays flat', async () => {
  // The first upload loads code and grows buffers that are then kept.
  expect(await upload(20)).toBe(200);
  const before = gatewayBytes();
  let most = before;
  const status = await upload(499, () => {
    most = Math.max(most, gatewayBytes());
    return true;
  });
  expect(status).toBe(200);
  console.log(
    `gateway memory: ${Math.round(before / MEGABYTE)} MB before, at most ${Math.round(most / MEGABYTE)} MB during 499 MB`,
  );
  expect(most - before).toBeLessThan(64 * 1024 * 1024);
});

it('an aborted upload leaves no job, no object and no part of one', async () => {
  const before = await recordingsInStore();
  const jobsBefore = (await customer.get('/api/v1/jobs')).body['total'];
  expect(await upload(60, (sent) => sent < 30)).toBe('aborted');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await recordingsInStore()).toEqual(before);
  expect(await unfinishedUploads()).toBe(0);
  expect((await customer.get('/api/v1/jobs')).body['total']).toBe(jobsBefore);
});

it('an upload whose gateway is killed is cleared away by the sweep', async () => {
  const before = await recordingsInStore();
  const outcome = upload(60, (sent) => {
    if (sent === 30) platform.kill('gateway', 'SIGKILL');
    return true;
  }).catch(() => 'aborted');
  expect(await outcome).toBe('aborted');
  await platform.waitReady('gateway');
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && (await unfinishedUploads()) > 0)
    await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await unfinishedUploads()).toBe(0);
  expect(await recordingsInStore()).toEqual(before);
  expect((await customer.get('/api/v1/jobs?status=uploading')).body['total']).toBe(0);
});
