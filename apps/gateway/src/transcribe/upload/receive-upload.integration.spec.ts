import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createObjectStore, type ObjectStore, type StoredObject } from '@currawong/object-store';
import { freshBucket, type FreshBucket } from '@currawong/testing';
import { receiveUpload, type ReceivedUpload } from './receive-upload';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const maxFileBytes = 500_000_000;
let bucket: FreshBucket;
let objects: ObjectStore;
let server: http.Server;
let url: string;
let nextKey = 0;
let outcomes: (ReceivedUpload<StoredObject> | { error: unknown })[] = [];

beforeAll(async () => {
  bucket = await freshBucket();
  objects = createObjectStore(bucket);
  server = http.createServer((request, response) => {
    receiveUpload(request, {
      maxFileBytes,
      fieldNames: ['language'],
      minBytesPerSecond: 1000,
      store: (content, { contentType, atLeastBytes }) =>
        objects.put(`audio/${nextKey++}`, content, { contentType, atLeastBytes }),
    }).then(
      (result) => {
        outcomes.push(result);
        response.writeHead(result.ok ? 200 : 400).end(result.ok ? 'taken' : result.refusal.code);
      },
      (error: unknown) => {
        outcomes.push({ error });
        response.writeHead(500).end();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
beforeEach(() => (outcomes = []));
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  objects.close();
  await bucket.drop();
});

/** A client of its own process, so that its memory is not counted with the receiver's. Prints status and body. */
const clientSource = `
  const [url, size, announced, count] = [process.argv[1], +process.argv[2], process.argv[3] === 'announced', +process.argv[4]];
  const http = require('http');
  const head = Buffer.from('--b\\r\\nContent-Disposition: form-data; name="file"; filename="a.wav"\\r\\n\\r\\n');
  const tail = Buffer.from('\\r\\n--b\\r\\nContent-Disposition: form-data; name="language"\\r\\n\\r\\nen\\r\\n--b--\\r\\n');
  const first = Buffer.from('RIFF....WAVEfmt ');
  const chunk = Buffer.alloc(65536, 5);
  async function send() {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    if (announced) headers['content-length'] = head.length + size + tail.length;
    const request = http.request(url, { method: 'POST', headers });
    const answered = new Promise((resolve, reject) => request.on('response', resolve).on('error', reject));
    let response;
    answered.then((r) => (response = r), () => (response = 'failed'));
    request.write(head);
    request.write(first);
    for (let left = size - first.length; left > 0 && !response; left -= chunk.length)
      if (!request.write(chunk.subarray(0, Math.min(left, chunk.length)))) await new Promise((r) => { request.once('drain', r); answered.then(r, r); });
    if (!response) request.end(tail);
    const { statusCode } = response = await answered;
    let text = '';
    for await (const part of response) text += part;
    request.destroy();
    return statusCode + ' ' + text;
  }
  Promise.all(Array.from({ length: count }, send)).then((all) => console.log(all.join()), (e) => console.log(e.message));
`;

async function output(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (part) => (text += String(part)));
  await once(child, 'close');
  return text.trim();
}

const upload = (sizeBytes: number, transfer: 'announced' | 'chunked', count = 1) =>
  output(process.execPath, ['-e', clientSource, url, String(sizeBytes), transfer, String(count)]);

/**
 * The growth in MiB at its worst while `work` runs: of resident memory, and of buffers, those that wait to be collected
 * among them. The process must have warmed up, because its first use of anything makes it grow.
 */
async function worstGrowth(work: () => Promise<unknown>) {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // Freed buffers are given back a little later; counted as there before, they would hide growth.
  await sleep(500);
  collect();
  const measure = () => [process.memoryUsage.rss(), process.memoryUsage().arrayBuffers] as const;
  const before = measure();
  const worst = { rss: 0, buffers: 0 };
  const timer = setInterval(() => {
    const now = measure();
    worst.rss = Math.max(worst.rss, (now[0] - before[0]) / 2 ** 20);
    worst.buffers = Math.max(worst.buffers, (now[1] - before[1]) / 2 ** 20);
  }, 5);
  await work();
  clearInterval(timer);
  return worst;
}

async function expectNothingStored(firstKey: number) {
  for await (const { key } of objects.list('audio/')) {
    expect(Number(key.split('/')[1])).toBeLessThan(firstKey);
  }
  expect(await objects.janitor({ olderThanSeconds: 0 })).toBe(0);
}

describe('memory', () => {
  it.each(['announced', 'chunked'] as const)(
    'grows by less than 64 MiB while 500 MB arrive, %s',
    async (transfer) => {
      await upload(20_000_000, transfer);
      const growth = await worstGrowth(async () =>
        expect(await upload(maxFileBytes, transfer)).toBe('200 taken'),
      );
      console.info(`500 MB ${transfer}: growth in MiB`, growth);
      expect(outcomes.at(-1)).toMatchObject({
        ok: true,
        fields: { language: 'en' },
        stored: { sizeBytes: maxFileBytes },
      });
      expect(growth.rss).toBeLessThan(64);
      expect(growth.buffers).toBeLessThan(128);
    },
    120_000,
  );

  it('grows by less than a third of the 400 MB that 20 clients send at once', async () => {
    const expected = Array.from({ length: 20 }, () => '200 taken').join();
    await upload(5_000_000, 'announced', 20);
    const growth = await worstGrowth(async () =>
      expect(await upload(20_000_000, 'announced', 20)).toBe(expected),
    );
    console.info('20 uploads: growth in MiB', growth);
    expect(growth.rss).toBeLessThan(128);
    expect(growth.buffers).toBeLessThan(128);
  }, 120_000);
});

describe('a client that leaves in the middle', () => {
  it.each([
    ['early', 1_000_000],
    ['in the middle', 40_000_000],
  ])('leaves neither an object nor an unfinished upload (%s)', async (_, sentBytes) => {
    const firstKey = nextKey;
    for (const headers of [{ 'content-length': 80_000_000 }, {}]) {
      const request = http.request(url, {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
      });
      request.on('error', () => undefined);
      request.write(
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF....WAVE',
      );
      for (let sent = 0; sent < sentBytes; sent += 65_536)
        if (!request.write(Buffer.alloc(65_536))) await once(request, 'drain');
      request.destroy();
    }
    while (outcomes.length < 2) await sleep(20);
    expect(outcomes).toMatchObject([
      { refusal: { code: 'client_gone' } },
      { refusal: { code: 'client_gone' } },
    ]);
    await expectNothingStored(firstKey);
  });
});

describe('a client that sends 600 MB reads its refusal', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'currawong-upload-'));
    file = join(folder, 'a.wav');
    writeFileSync(file, 'RIFF....WAVEfmt ');
    // Sparse: takes no room on the disk.
    truncateSync(file, 600_000_000);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['announced', []],
    ['chunked', ['-H', 'Transfer-Encoding: chunked']],
  ])(
    'with curl, %s',
    async (_, args) => {
      const firstKey = nextKey;
      const curl = ['-s', '-w', ' %{http_code}', ...args, '-F', `file=@${file}`, url];
      expect(await output('curl', curl)).toBe('file_too_large 400');
      await expectNothingStored(firstKey);
    },
    60_000,
  );

  it.each(['announced', 'chunked'] as const)(
    'with node:http, %s',
    async (transfer) => {
      expect(await upload(600_000_000, transfer)).toBe('400 file_too_large');
    },
    60_000,
  );

  it('with fetch', async () => {
    const source = `
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(600_000_000)]), 'a.wav');
      fetch(process.argv[1], { method: 'POST', body: form }).then(
        async (response) => console.log(response.status + ' ' + (await response.text())),
        (error) => console.log(String(error.cause ?? error)),
      );`;
    expect(await output(process.execPath, ['-e', source, url])).toBe('400 file_too_large');
  }, 60_000);
});
