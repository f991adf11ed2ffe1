import {
  freshBucket,
  objectStoreClient,
  startPlatform,
  type FreshBucket,
  type TestPlatform,
} from '@currawong/testing';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { Client, newCustomer } from './client';
import { EventStream } from './event-stream';
import { wav } from './recordings';

jest.setTimeout(60_000);

// The real worker with an engine that takes its time: a minute of audio takes half of one.
const ENGINE_SPEED = 0.5;
/** As many show what a file is. */
const FIRST_BYTES = 16_384;

let bucket: FreshBucket;
let platform: TestPlatform;
let customer: Client & { accountId: string };
let other: Client;

beforeAll(async () => {
  bucket = await freshBucket();
  platform = await startPlatform({
    s3: bucket,
    services: ['billing', 'jobs', 'worker', 'gateway', 'gateway-2'],
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: String(ENGINE_SPEED),
      SWEEP_INTERVAL_SECONDS: '0.2',
      UPLOAD_LEASE_SECONDS: '30',
      // Uploads are paused here for as long as a busy machine takes.
      MIN_UPLOAD_BYTES_PER_SECOND: '0',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
  other = await newCustomer(platform, { creditAud: '10' });
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  await bucket?.drop();
});

const seconds = (length: number) => ({ name: 'private talk.wav', bytes: wav(length, 440) });
const remove = (id: string, by: Client = customer) => by.send('DELETE', `/api/v1/jobs/${id}`);

/** Everything of a job that the store has, unfinished uploads too. */
async function storedOf(id: string): Promise<string[]> {
  const client = objectStoreClient(bucket);
  const found: string[] = [];
  for await (const { name } of client.listObjectsV2(bucket.bucket, '', true) as AsyncIterable<{
    name: string;
  }>)
    if (name.includes(id)) found.push(name);
  for await (const { key } of client.listIncompleteUploads(bucket.bucket, '', true) as AsyncIterable<{
    key: string;
  }>)
    if (key.includes(id)) found.push(`part of ${key}`);
  return found;
}

const erased = (id: string, by: Client = customer) => by.erased(id, 20);

async function balance(of: Client = customer): Promise<unknown> {
  return (await of.get('/api/v1/credit')).body['balance_aud'];
}

/** An upload that goes no further than this. @param share of the body that is sent before it pauses */
async function pausedUpload(sender: Client, share: number) {
  const boundary = 'a-paused-recording';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="paused.wav"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), wav(60, 440), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const sending = request(`${platform.baseUrl}/api/v1/transcribe`, {
    method: 'POST',
    headers: {
      'X-API-Key': sender.apiKey!,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': body.length,
    },
  });
  const answered = (once(sending, 'response') as Promise<[IncomingMessage]>).then(async ([response]) => {
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, detail: (JSON.parse(text) as { detail: string }).detail };
  });
  sending.write(body.subarray(0, Math.max(FIRST_BYTES, Math.floor(body.length * share))));
  for (;;) {
    const { body: list } = await sender.get('/api/v1/jobs?status=uploading');
    const [job] = list['jobs'] as { id: string }[];
    if (job) return { id: job.id, answered };
    await sleep(50);
  }
}

it('uploads that are cancelled end with 409 and leave nothing, however much of them was sent', async () => {
  const cancel = async (share: number) => {
    const sender = await newCustomer(platform, { creditAud: '1' });
    const upload = await pausedUpload(sender, share);
    await sleep(300);
    // Over the other gateway: the one that stores it must hear of it.
    const answer = await remove(upload.id, new Client(platform.baseUrlOf('gateway-2'), sender.apiKey));
    expect([answer.status, answer.body['cancelled_at'] !== null]).toEqual([200, true]);
    const startedAtMs = performance.now();
    expect(await upload.answered).toEqual({ status: 409, detail: expect.stringContaining('cancelled') });
    // Before the connection is given up for being idle, after ten seconds.
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
    await erased(upload.id, sender);
    await sleep(300);
    expect(await storedOf(upload.id)).toEqual([]);
    // Billing may need longer than the answer waited for it.
    expect(await sender.finished(upload.id, 10)).toMatchObject({
      ...{ status: 'failed', error_message: 'Cancelled by the client', cost_aud: 0, audio_available: false },
    });
    expect(await balance(sender)).toBe('1.00');
  };
  await Promise.all([0, 0.5, 0.99].map(cancel));
});

describe('a job that is cancelled', () => {
  it.each([
    // Unless its engine is stopped, the next has to wait for half a minute.
    { when: 'when it has just been accepted', length: 60, afterSeconds: 0 },
    { when: 'in the middle', length: 60, afterSeconds: 1.5 },
    { when: 'shortly before its end', length: 4, afterSeconds: 4 * ENGINE_SPEED * 0.95 },
  ])('$when fails, costs nothing, and the worker goes on to the next at once', async (job) => {
    const tried = async () => {
      const before = await balance();
      const id = await customer.submit(seconds(job.length));
      if (job.afterSeconds > 0) {
        await customer.until(id, ({ status }) => status === 'processing');
        await sleep(job.afterSeconds * 1_000);
      }
      return { before, id, ...(await remove(id)) };
    };
    let cancelled = await tried();
    // On a busy machine it may have ended before it was cancelled, and is erased instead.
    for (let tries = 1; tries < 10 && cancelled.body['cancelled_at'] === null; tries++)
      cancelled = await tried();
    const { before, id, status, body } = cancelled;
    expect(body['cancelled_at']).toEqual(expect.any(String));
    expect([status, body['reason'], body['requested_by']]).toEqual([200, 'client', 'key']);
    expect(body['key_id']).toEqual(expect.any(String));
    expect(await customer.finished(id, 10)).toMatchObject({
      ...{ status: 'failed', error_message: 'Cancelled by the client', cost_aud: 0 },
    });
    expect(await balance()).toBe(before);
    const startedAtMs = performance.now();
    const next = await customer.submit(seconds(1));
    await Promise.all([erased(id), customer.finished(next)]);
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    expect(await storedOf(id)).toEqual([]);
    const { work } = await platform.admin<{ work: { failures: number }[] }>('job', 'show', id);
    expect(work.map(({ failures }) => failures)).toEqual([0]);
  });

  it('is deleted wholly when that is asked once more', async () => {
    const id = await customer.submit(seconds(12));
    const [one, two] = await Promise.all([remove(id), remove(id)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body['requested_at']).toBe(two.body['requested_at']);
    const done = await erased(id);
    expect((await remove(id)).body).toEqual(done);
    expect((await customer.get(`/api/v1/jobs/${id}`)).status).toBe(200);
    // A minute later it is no longer the same request.
    const database = new Postgres(platform.databaseUrl);
    await database.connect();
    await database.query(
      "UPDATE jobs.deletions SET requested_at = requested_at - interval '61 seconds' WHERE job_id = $1",
      [id],
    );
    await database.end();
    expect((await remove(id)).status).toBe(200);
    expect((await customer.get(`/api/v1/jobs/${id}`)).status).toBe(404);
    expect((await erased(id))['cancelled_at']).toBe(one.body['cancelled_at']);
  });
});

describe('a job that has ended', () => {
  it('is gone once it is deleted: no route finds it, nothing is stored of it, and the receipt stays', async () => {
    const id = await customer.submit(seconds(2), { prompt: 'private words' });
    const { cost_aud } = await customer.finished(id);
    const before = await balance();
    const stored = await storedOf(id);
    expect(stored.length).toBeGreaterThanOrEqual(3);
    expect((await remove(id, other)).status).toBe(404);
    expect((await other.get(`/api/v1/jobs/${id}/deletion`)).status).toBe(404);
    expect((await remove(id)).status).toBe(200);
    const none = '/api/v1/jobs/01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55';
    for (const gateway of [platform.baseUrl, platform.baseUrlOf('gateway-2')])
      for (const route of ['', '?words=true', '/audio', '/transcript', '/transcript?format=srt', '/events']) {
        const headers = { 'X-API-Key': customer.apiKey! };
        const [gone, never] = await Promise.all(
          [`/api/v1/jobs/${id}${route}`, `${none}${route}`].map((path) =>
            fetch(`${gateway}${path}`, { headers }),
          ),
        );
        expect([route, gone!.status, await gone!.text()]).toEqual([
          route,
          never!.status,
          await never!.text(),
        ]);
        expect(gone!.status).toBe(404);
      }
    expect((await customer.get(`/api/v1/status/${id}`)).status).toBe(404);
    expect((await customer.send('PATCH', `/api/v1/jobs/${id}`, '{}')).status).toBeGreaterThanOrEqual(400);
    const { jobs } = (await customer.get('/api/v1/jobs?page_size=100')).body as { jobs: { id: string }[] };
    expect(jobs.map((job) => job.id)).not.toContain(id);
    const done = await erased(id);
    expect(await storedOf(id)).toEqual([]);
    expect(done['objects']).toEqual(
      expect.arrayContaining([
        { kind: 'recording', count: 1, bytes: seconds(2).bytes.length },
        { kind: 'transcript', count: 1, bytes: expect.any(Number) },
        { kind: 'voices', count: 1, bytes: expect.any(Number) },
      ]),
    );
    expect((await remove(id)).body).toEqual(done);
    const { deletions } = (await customer.get('/api/v1/deletions')).body as {
      deletions: { job_id: string }[];
    };
    expect(deletions[0]!.job_id).toBe(id);
    // What it cost stays charged, and its row says nothing of what was in it.
    expect(await balance()).toBe(before);
    expect(cost_aud).toBeGreaterThan(0);
    const { job } = await platform.admin<{ job: Record<string, unknown> }>('job', 'show', id);
    expect(JSON.stringify(job)).not.toContain('private');
  });

  it('is deleted also while its speakers are being told apart again', async () => {
    const id = await customer.submit(seconds(2));
    await customer.finished(id);
    const again = await fetch(`${platform.baseUrl}/api/v1/jobs/${id}/diarization`, {
      method: 'POST',
      headers: { 'X-API-Key': customer.apiKey!, 'Content-Type': 'application/json' },
      body: '{"num_speakers":2}',
    });
    expect(again.status).toBe(202);
    expect((await remove(id)).status).toBe(200);
    await erased(id);
    await sleep(1_500);
    expect(await storedOf(id)).toEqual([]);
    expect((await customer.get(`/api/v1/jobs/${id}`)).status).toBe(404);
  });
});

describe('a job that is followed', () => {
  const follow = (id: string, options: { gateway?: string; lastSeen?: string; apiKey?: string } = {}) =>
    EventStream.open(`${platform.baseUrlOf(options.gateway ?? 'gateway-2')}/api/v1/jobs/${id}/events`, {
      'X-API-Key': options.apiKey ?? customer.apiKey!,
      ...(options.lastSeen === undefined ? {} : { 'Last-Event-ID': options.lastSeen }),
    });

  it('tells its way to the end, and then nothing more', async () => {
    const id = await customer.submit(seconds(4));
    const stream = await follow(id);
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    const events = await stream.toEnd();
    const statuses = events.filter(({ event }) => event === 'status').map(({ data }) => data['status']);
    expect(statuses.at(-1)).toBe('completed');
    expect(new Set(statuses).size).toBe(statuses.length);
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    expect(events.at(-1)!.data).toMatchObject({ id, progress: 1, cost_aud: expect.any(Number) });
    expect((await follow(id, { lastSeen: events.at(-1)!.id! })).status).toBe(204);
    // Whoever has missed the end is told it.
    const late = await (await follow(id, { lastSeen: events[0]!.id! })).toEnd();
    expect(late.map(({ event, data }) => [event, data['status']])).toEqual([['status', 'completed']]);
  });

  it('goes on from what was seen, at another gateway', async () => {
    const id = await customer.submit(seconds(8));
    await customer.until(id, (job) => job.status === 'processing');
    const first = await follow(id, { gateway: 'gateway' });
    const [seen] = await first.take(1);
    first.leave();
    const rest = await (await follow(id, { lastSeen: seen!.id! })).toEnd();
    expect(rest.map((event) => event.id)).not.toContain(seen!.id);
    expect(rest.filter(({ event }) => event === 'status').map(({ data }) => data['status'])).toEqual([
      'completed',
    ]);
  });

  it('says so when it is cancelled, and when it is deleted', async () => {
    const id = await customer.submit(seconds(20));
    const stream = await follow(id);
    await stream.take(1);
    await remove(id);
    expect((await stream.toEnd()).at(-1)).toMatchObject({
      event: 'status',
      data: { status: 'failed', error_message: 'Cancelled by the client' },
    });
    // A job that has ended is followed no longer; one that is deleted under a stream is one being charged or cancelled.
    expect((await follow('01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55')).status).toBe(404);
    expect((await follow(id, { apiKey: other.apiKey! })).status).toBe(404);
  });

  it('is followed no longer with a key of a suspended account, and 50 at a time are enough', async () => {
    const leaving = await newCustomer(platform, { creditAud: '1' });
    const id = await leaving.submit(seconds(30));
    const streams = await Promise.all(
      Array.from({ length: 50 }, () => follow(id, { apiKey: leaving.apiKey! })),
    );
    const refused = await follow(id, { apiKey: leaving.apiKey! });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    await platform.admin('account', 'suspend', leaving.accountId);
    const startedAtMs = performance.now();
    await Promise.all(streams.map((stream) => stream.toEnd()));
    expect(performance.now() - startedAtMs).toBeLessThan(12_000);
    // Its work goes on meanwhile: what was accepted is owed.
    await platform.admin('account', 'resume', leaving.accountId);
    expect((await remove(id, leaving)).status).toBe(200);
  });

  it('comes back from a gateway that stops, which does not wait for it', async () => {
    const id = await customer.submit(seconds(20));
    const stream = await follow(id);
    await stream.take(1);
    const startedAtMs = performance.now();
    await Promise.all([platform.halt('gateway-2'), stream.toEnd()]);
    expect(performance.now() - startedAtMs).toBeLessThan(9_000);
    const again = await follow(id, { gateway: 'gateway' });
    await remove(id);
    expect((await again.toEnd()).at(-1)!.data['status']).toBe('failed');
  });
});

it('the books add up', async () => {
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
});
