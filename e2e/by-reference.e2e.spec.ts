import { objectStoreClient, startPlatform, type TestPlatform } from '@currawong/testing';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

jest.setTimeout(120_000);

const MAX_FILE_BYTES = 18_000_000;
const MIN_BYTES_PER_SECOND = 20_000;

let folder: string;
let host: https.Server;
let plainHost: http.Server;
let origin: string;
let plainOrigin: string;
let platform: TestPlatform;
let customer: Client & { accountId: string };

/** What was asked of the other side, and how it ended. */
const asked: { path: string; headers: http.IncomingHttpHeaders; ended: Promise<void> }[] = [];
const recording = wav(2, 440);
type Site = (response: http.ServerResponse) => void;

/** Sends for as long as anyone listens. */
const endless =
  (bytes: Buffer, everyMs: number): Site =>
  (response) => {
    response.write(recording);
    const timer = setInterval(() => response.write(bytes), everyMs);
    response.once('close', () => clearInterval(timer));
  };
const answering =
  (headers: http.OutgoingHttpHeaders, body: Buffer | string = recording, status = 200): Site =>
  (response) =>
    response.writeHead(status, headers).end(body);

const SITES: Record<string, Site> = {
  '/talks/hello%20world.wav': answering({}),
  '/download?id=1': answering({
    'Content-Disposition': `attachment; filename="a.b"; filename*=UTF-8''d%C3%A9j%C3%A0.wav`,
  }),
  '/typed': answering({ 'Content-Type': 'Audio/X-Wav; charset=binary' }),
  '/announced.wav': answering({ 'Content-Length': recording.length }),
  '/untyped': answering({ 'Content-Type': 'application/octet-stream' }),
  '/missing.wav': answering({}, 'no', 404),
  '/login.wav': answering({}, 'no', 401),
  '/broken.wav': answering({}, 'no', 500),
  '/moved.wav': answering({ Location: 'https://elsewhere.example/secret?token=<script>' }, '', 302),
  '/odd-move.wav': answering({ Location: 'javascript:alert(1)' }, '', 307),
  '/page.wav': answering({ 'Content-Type': 'text/html' }, '<!doctype html><title>Sign in</title>'),
  '/empty.wav': answering({}, ''),
  '/large.wav': (response) =>
    response.writeHead(200, { 'Content-Length': MAX_FILE_BYTES + 1 }).write(recording),
  '/endless.wav': endless(Buffer.alloc(1_000_000), 5),
  '/slow.wav': endless(Buffer.alloc(100), 200),
  '/waiting.wav': endless(Buffer.alloc(10_000), 100),
  '/cut.wav': (response) => {
    response.writeHead(200, { 'Content-Length': 1_000_000 }).write(recording);
    setTimeout(() => response.destroy(), 200);
  },
};

function site(request: http.IncomingMessage, response: http.ServerResponse): void {
  const path = request.url ?? '';
  asked.push({
    path,
    headers: request.headers,
    ended: new Promise((resolve) => response.once('close', resolve)),
  });
  (SITES[path] ?? answering({}, 'nothing here', 404))(response);
}

const listening = (server: http.Server | https.Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-tls-'));
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-keyout', 'key.pem', '-out', 'cert.pem', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  );
  const certificate = join(folder, 'cert.pem');
  host = https.createServer(
    { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(certificate) },
    site,
  );
  plainHost = http.createServer(site);
  origin = `https://127.0.0.1:${await listening(host)}`;
  plainOrigin = `http://127.0.0.1:${await listening(plainHost)}`;
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway'],
    env: {
      MAX_FILE_BYTES: String(MAX_FILE_BYTES),
      MIN_UPLOAD_BYTES_PER_SECOND: String(MIN_BYTES_PER_SECOND),
      SWEEP_INTERVAL_SECONDS: '0.2',
      OPEN_UPLOADS_PER_ACCOUNT: '3',
      OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32',
      NODE_EXTRA_CA_CERTS: certificate,
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  for (const server of [host, plainHost]) {
    server?.closeAllConnections();
    server?.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Answered {
  status: number;
  detail: string;
  job_id: string;
}

async function post(
  path: string,
  body: FormData | URLSearchParams | object,
  { by = customer, key, signal }: { by?: Client; key?: string; signal?: AbortSignal } = {},
): Promise<Answered & Record<string, unknown>> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const response = await fetch(`${platform.baseUrl}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'X-API-Key': by.apiKey!,
      ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: isForm ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return { ...((await response.json()) as Answered & Record<string, unknown>), status: response.status };
}

function form(fields: Record<string, string>, file?: Buffer): FormData {
  const made = new FormData();
  if (file) made.set('file', new Blob([new Uint8Array(file)]), 'a.wav');
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}

/** Everything in the bucket, finished or not, once it is as many things as it should be. */
async function stored(expected: number): Promise<number> {
  const store = objectStoreClient(platform.s3);
  let count = NaN;
  for (let tries = 0; tries < 60 && count !== expected; tries++) {
    count = (await store.listIncompleteUploadsQuery(platform.s3.bucket, '', '', '', '')).uploads.length;
    for await (const _object of store.listObjectsV2(platform.s3.bucket, '', true)) count++;
    if (count !== expected) await sleep(250);
  }
  return count;
}

const jobCount = async () => Number((await customer.get('/api/v1/jobs')).body['total']);

describe('a recording at an address', () => {
  it.each([
    ['/talks/hello%20world.wav', 'hello world.wav'],
    ['/download?id=1', 'déjà.wav'],
    ['/typed', 'typed.wav'],
    ['/announced.wav', 'announced.wav'],
  ])('at %s is fetched as %s', async (path, filename) => {
    const answer = await post('/transcribe', form({ file_url: origin + path, num_speakers: '1' }));
    expect(answer).toMatchObject({ status: 200, job_id: expect.any(String) });
    expect(await customer.job(answer.job_id)).toMatchObject({
      ...{ original_filename: filename, num_speakers: 1, status: 'pending' },
    });
    const kept = await fetch(`${platform.baseUrl}/api/v1/jobs/${answer.job_id}/audio`, {
      headers: { 'X-API-Key': customer.apiKey! },
    });
    expect(Buffer.from(await kept.arrayBuffer()).equals(recording)).toBe(true);
    // Nothing of ours goes there.
    expect(Object.keys(asked.at(-1)!.headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
    ]);
  });

  it('may be named in JSON and in a plain form, and repeated under a key', async () => {
    const file_url = `${origin}/announced.wav`;
    const first = await post('/transcribe', { file_url, num_speakers: 2, prompt: null }, { key: 'k' });
    expect(first.status).toBe(200);
    const again = await post('/transcribe', new URLSearchParams({ file_url, num_speakers: '2' }), {
      key: 'k',
    });
    expect(again).toMatchObject({ status: 200, job_id: first.job_id });
    expect((await post('/transcribe', { file_url, num_speakers: 3 }, { key: 'k' })).status).toBe(409);
    expect((await post('/transcribe', { file_url, num_speakers: [2] })).detail).toMatch(/^num_speakers: /);
  });

  it.each([
    ['/missing.wav', /^file_url: .*answered 404, not 200/],
    ['/login.wav', /^file_url: .*answered 401, not 200/],
    ['/broken.wav', /^file_url: .*answered 500, not 200/],
    ['/moved.wav', /^file_url: .*answered 302, a redirect \(to elsewhere\.example\), which is not followed/],
    ['/odd-move.wav', /^file_url: .*answered 307, a redirect, which is not followed/],
    ['/page.wav', /^file_url: its content is not audio/],
    ['/empty.wav', /^file_url: the file is empty/],
    ['/untyped', /^file_url: neither .* Content-Type says/],
    ['/large.wav', /^file_url: it is larger than the 18 MB/],
    ['/endless.wav', /^file_url: it is larger than the 18 MB/],
    [
      '/cut.wav',
      /^file_url: the recording could not be fetched: the connection ended before all of it had come/,
    ],
    ['/slow.wav', /^file_url: it came at less than 20000 bytes per second/],
  ])('is refused at %s, and its download is over', async (path, text) => {
    const answer = await post('/transcribe', { file_url: origin + path });
    expect(answer).toMatchObject({ status: 400, detail: expect.stringMatching(text) });
    expect(answer.detail).not.toMatch(/127\.0\.0\.1|token|script/);
    await asked.at(-1)!.ended;
  });

  it.each([
    [() => `${plainOrigin}/announced.wav`, /^file_url: .*https/],
    [() => 'https://10.0.0.1/a.wav', /^file_url: must lead to a public address/],
    [() => 'https://[::ffff:169.254.169.254]/a.wav', /^file_url: must lead to a public address/],
    [() => 'https://2130706434/a.wav', /^file_url: must lead to a public address/],
    [() => 'https://localhost.localdomain.invalid/a.wav', /^file_url: /],
    [() => 'https://user:pass@example.com/a.wav', /^file_url: must not contain a user name/],
    [() => 'ftp://example.com/a.wav', /^file_url: must start with https/],
    [() => 'a.wav', /^file_url: must be an address/],
    [() => '', /^file_url: /],
  ])('is not asked for at an address that is not to be called (%#)', async (url, text) => {
    const before = asked.length;
    expect(await post('/transcribe', { file_url: url() })).toMatchObject({
      ...{ status: 400, detail: expect.stringMatching(text) },
    });
    expect(asked).toHaveLength(before);
  });

  it('is named in one way alone, and its fields are looked at before it is fetched', async () => {
    const before = asked.length;
    const file_url = `${origin}/announced.wav`;
    const exactlyOne = { status: 400, detail: 'file, file_url, upload_id: send exactly one of them' };
    expect(await post('/transcribe', form({ file_url }, recording))).toMatchObject(exactlyOne);
    expect(await post('/transcribe', form({ file_url, upload_id: randomUUID() }))).toMatchObject(exactlyOne);
    expect((await post('/transcribe', form({ language: 'en' }))).detail).toMatch(/^file: no file was sent/);
    expect((await post('/transcribe', { language: 'en' })).detail).toMatch(
      /^file: no file.*file_url, upload_id/,
    );
    expect((await post('/transcribe', { file_url, language: 'xx' })).detail).toMatch(
      /^language: must be one of/,
    );
    expect(asked).toHaveLength(before);
  });

  it('is not fetched any more when the client has gone', async () => {
    const gone = new AbortController();
    const asking = post('/transcribe', { file_url: `${origin}/waiting.wav` }, { signal: gone.signal });
    asking.catch(() => undefined);
    while (asked.at(-1)?.path !== '/waiting.wav') await sleep(50);
    await sleep(500);
    gone.abort();
    await asked.at(-1)!.ended;
  });

  it('leaves nothing but the recordings of jobs', async () => {
    expect(await stored(5)).toBe(5);
    expect(await jobCount()).toBe(5);
  });
});

interface Opened extends Answered {
  upload_id: string;
  part_size_bytes: number;
  parts: { part_number: number; size_bytes: number; url: string }[];
  expires_at: string;
}

describe('an upload that goes to the store directly', () => {
  const open = async (bytes: Buffer, filename = 'talk.wav', by?: Client) =>
    (await post('/uploads', { filename, size_bytes: bytes.length }, by ? { by } : {})) as unknown as Opened;
  const put = (upload: Opened, bytes: Buffer, number: number) => {
    const at = (number - 1) * upload.part_size_bytes;
    const part = upload.parts[number - 1]!;
    return fetch(part.url, { method: 'PUT', body: new Uint8Array(bytes.subarray(at, at + part.size_bytes)) });
  };
  const submit = (upload: Opened, fields: object = {}, options = {}) =>
    post('/transcribe', { upload_id: upload.upload_id, ...fields }, options);

  it('in parts becomes a job when it is submitted, and the same job when it is submitted again', async () => {
    const bytes = wav(540); // 17 MB: two parts
    const upload = await open(bytes);
    expect(upload).toMatchObject({ status: 201, part_size_bytes: 16_777_216 });
    expect(upload.parts.map(({ size_bytes }) => size_bytes)).toEqual([16_777_216, bytes.length - 16_777_216]);
    const lifeSeconds = (Date.parse(upload.expires_at) - Date.now()) / 1_000;
    expect(lifeSeconds).toBeGreaterThan(3_500);
    expect(lifeSeconds).toBeLessThanOrEqual(3_600);
    expect((await customer.job(upload.upload_id)).status).toBe('uploading');
    expect((await put(upload, bytes, 2)).status).toBe(200);
    expect(await submit(upload)).toMatchObject({
      ...{ status: 400, detail: expect.stringMatching(/^upload_id: 1 of 2 parts have not arrived: 1\./) },
    });
    expect((await put(upload, bytes, 1)).status).toBe(200);
    // What is wrong with the fields can be put right, and the bytes are there already.
    expect((await submit(upload, { language: 'xx' })).status).toBe(400);
    const receipts = await Promise.all([1, 2, 3].map(() => submit(upload, { prompt: 'Ada' })));
    const receipt = { status: 200, job_id: upload.upload_id };
    expect(receipts).toMatchObject([receipt, receipt, receipt]);
    expect(await customer.job(upload.upload_id)).toMatchObject({
      ...{ status: 'pending', original_filename: 'talk.wav' },
    });
    expect((await put(upload, bytes, 1)).ok).toBe(false);
    expect(await submit(upload, {}, { key: 'an-upload' })).toMatchObject({ job_id: upload.upload_id });
  });

  it('is nobody else’s, and nobody’s where it does not exist', async () => {
    const stranger = await newCustomer(platform, { creditAud: '1' });
    const upload = await open(recording);
    await put(upload, recording, 1);
    const unknown = await submit({ ...upload, upload_id: randomUUID() });
    expect(unknown).toMatchObject({ status: 404, detail: expect.stringMatching(/^upload_id: /) });
    expect(await submit(upload, {}, { by: stranger })).toEqual(unknown);
    expect(await submit({ ...upload, upload_id: 'x' })).toEqual(unknown);
    expect((await submit(upload)).status).toBe(200);
    // A job that came otherwise is no upload.
    const other = await post('/transcribe', form({}, recording));
    expect(await submit({ ...upload, upload_id: other.job_id })).toEqual(unknown);
  });

  it('stays for another try when there is too little credit for it', async () => {
    const poor = await newCustomer(platform, { creditAud: '0.50' });
    const bytes = wav(10);
    bytes.writeUInt32LE(100, 24);
    bytes.writeUInt32LE(200, 28); // 1,600 s, which cost 0.54
    const upload = await open(bytes, 'long.wav', poor);
    await put(upload, bytes, 1);
    expect((await submit(upload, {}, { by: poor, key: 'k' })).status).toBe(402);
    await platform.admin('credit', 'add', poor.accountId, '--aud', '1', '--reason', 'test');
    const receipt = await submit(upload, {}, { by: poor, key: 'k' });
    expect(receipt).toMatchObject({ status: 200, job_id: upload.upload_id });
    expect((await poor.get('/api/v1/credit')).body['balance_aud']).toBe('0.96');
  });

  it.each([
    [{ filename: 'a.exe', size_bytes: 1 }, /^filename: it must end in one of \.mp3/],
    [{ filename: 'a.wav', size_bytes: MAX_FILE_BYTES + 1 }, /^size_bytes: .*18 MB/],
    [{ filename: 'a.wav', size_bytes: 0 }, /^size_bytes: the file is empty/],
    [{ filename: 'a.wav' }, /^size_bytes: /],
    [{ size_bytes: 1 }, /^filename: /],
  ])('is not begun for %j', async (body, text) => {
    expect(await post('/uploads', body)).toMatchObject({ status: 400, detail: expect.stringMatching(text) });
  });

  it('of something else than audio is refused when it is submitted, and gone', async () => {
    const page = Buffer.from('<!doctype html>'.repeat(1_000));
    const upload = await open(page);
    await put(upload, page, 1);
    expect(await submit(upload)).toMatchObject({
      ...{ status: 400, detail: expect.stringMatching(/^upload_id: the content is not audio/) },
    });
    expect((await submit(upload)).status).toBe(404);
  });

  it('is one of so many at a time, ends when it is deleted, and is erased when its time is over', async () => {
    const uploads = [await open(recording), await open(recording), await open(recording)];
    for (const upload of uploads) expect(upload.status).toBe(201);
    const refused = await open(recording);
    expect(refused).toMatchObject({ status: 409, detail: expect.stringMatching(/has 3 open uploads/) });
    const [submitted, deleted, forgotten] = uploads as [Opened, Opened, Opened];
    for (const upload of uploads) expect((await put(upload, recording, 1)).status).toBe(200);
    expect((await submit(submitted)).status).toBe(200);
    const answer = await customer.send('DELETE', `/api/v1/jobs/${deleted.upload_id}`);
    expect([200, 202, 204]).toContain(answer.status);
    expect((await submit(deleted)).status).toBe(404);
    expect((await open(recording)).status).toBe(201);
    const database = new Postgres(platform.databaseUrl);
    await database.connect();
    await database.query("UPDATE jobs.jobs SET upload_expires_at = now() WHERE state = 'uploading'");
    const isForgotten = async () => {
      const { rows } = await database.query<{ cleared: boolean }>(
        'SELECT cleared_at IS NOT NULL AS cleared FROM jobs.jobs WHERE id = $1',
        [forgotten.upload_id],
      );
      return rows[0]?.cleared ?? true;
    };
    for (let tries = 0; tries < 300 && !(await isForgotten()); tries++) await sleep(200);
    await database.end();
    expect((await customer.get(`/api/v1/jobs/${forgotten.upload_id}`)).status).toBe(404);
    expect((await submit(forgotten)).status).toBe(404);
    await customer.erased(deleted.upload_id);
    for (const upload of [deleted, forgotten]) expect((await put(upload, recording, 1)).ok).toBe(false);
  });

  it('leaves nothing but the recordings of jobs, and books that add up', async () => {
    // 5 from addresses, 1 in two parts, 2 that are somebody's, 1 that was paid for later, 1 of three.
    expect(await stored(10)).toBe(10);
    const report = await platform.admin<{ problems: string[]; open_holds: unknown[] }>('ledger', 'check');
    expect(report.problems).toEqual([]);
    expect(report.open_holds).toHaveLength(10);
  });
});
