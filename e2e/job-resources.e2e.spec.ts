import { JobDetail, JobList } from '@currawong/contracts';
import { createDataSource, type DataSource } from '@currawong/database';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, newCustomer } from './client';
import { wav } from './recordings';
import { ScriptedWorker } from './scripted-worker';

// The parts of a job, over HTTP against the running services; the worker is the test, so that the words are known.
jest.setTimeout(60_000);

const NAME = 'Gespräch (1).wav';
const bytes = wav(3, 440);

let platform: TestPlatform;
let worker: ScriptedWorker;
let database: DataSource;
let customer: Client & { accountId: string };
let testKey: Client;
let other: Client;
let id: string;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway'],
    env: { SWEEP_INTERVAL_SECONDS: '0.2' },
  });
  worker = await ScriptedWorker.join(platform);
  database = await createDataSource({
    url: platform.databaseUrl,
    schema: 'jobs',
    migrations: [],
    poolSize: 1,
  }).initialize();
  customer = await newCustomer(platform, { creditAud: '20' });
  other = await newCustomer(platform, { creditAud: '5' });
  const key = await platform.admin<{ api_key: string }>(
    ...['key', 'create', customer.accountId, '--name', 'trying out', '--mode', 'test'],
  );
  testKey = new Client(platform.baseUrl, key.api_key);
  id = await completed(customer, 'good morning everyone');
}, 120_000);

afterAll(async () => {
  await database?.destroy();
  await worker?.leave();
  await platform?.stop();
});

/** A job of three seconds in which Speaker 1 says these words, one a second. */
async function completed(client: Client, text: string): Promise<string> {
  const jobId = await client.submit({ name: NAME, bytes });
  await worker.transcribed(await worker.begin(jobId), text, 3);
  await client.finished(jobId);
  return jobId;
}

/** An answer that need not be JSON. */
async function fetched(path: string, init: RequestInit = {}, client: Client = customer): Promise<Response> {
  return fetch(`${client.baseUrl}${path}`, {
    ...init,
    headers: { 'X-API-Key': client.apiKey!, ...(init.headers as Record<string, string>) },
  });
}
const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

function change(jobId: string, body: unknown, client: Client = customer): Promise<Response> {
  return fetched(
    `/api/v1/jobs/${jobId}`,
    {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
    client,
  );
}

describe('the detail form', () => {
  it('has the documented fields and no others, in the list as well', async () => {
    const { body } = await customer.get(`/api/v1/jobs/${id}`);
    expect(JobDetail.strict().parse(body)).toMatchObject({ speaker_names: {}, audio_available: true });
    const list = await customer.get('/api/v1/jobs');
    JobList.strict().parse(list.body);
    const [item] = list.body['jobs'] as object[];
    const ofTheResult = [
      ...['transcription', 'diarization', 'segments', 'warnings'],
      ...['engine', 'diarizer', 'speakers_summary'],
    ];
    const withoutTexts = Object.keys(JobDetail.shape).filter((field) => !ofTheResult.includes(field));
    expect(Object.keys(item!).sort()).toEqual(withoutTexts.sort());
  });

  it('shows words with their times where they are asked for', async () => {
    const plain = (await customer.get(`/api/v1/jobs/${id}`)).body as unknown as JobDetail;
    expect(plain.segments![0]).not.toHaveProperty('words');
    const answer = await customer.get(`/api/v1/jobs/${id}?words=true`);
    const { segments, ...rest } = answer.body as unknown as JobDetail;
    expect(segments![0]!.words).toEqual([
      { text: 'good', start: 0, end: 1, confidence: 1 },
      { text: 'morning', start: 1, end: 2, confidence: 1 },
      { text: 'everyone', start: 2, end: 3, confidence: 1 },
    ]);
    expect({ ...rest, segments: segments!.map(({ words: _, ...segment }) => segment) }).toEqual(plain);
  });

  it.each(['false', '1', 'yes', 'true&words=true'])('?words=%s is 400', async (words) => {
    const answer = await customer.get(`/api/v1/jobs/${id}?words=${words}`);
    expect(answer).toMatchObject({ status: 400, body: { detail: 'words: must be true, or left out' } });
  });

  it('says with which key it was submitted, to billing as well', async () => {
    const [job] = await database.query('SELECT key_id FROM jobs WHERE id = $1', [id]);
    const { keys } = await platform.admin<{ keys: { id: string }[] }>('key', 'list', customer.accountId);
    expect(keys.map((key) => key.id)).toContain(job.key_id);
    const [hold] = await database.query('SELECT key_id FROM billing.holds WHERE job_id = $1', [id]);
    expect(hold).toEqual(job);
  });
});

describe('the names of speakers', () => {
  afterEach(async () => expect((await change(id, { speaker_names: {} })).status).toBe(200));

  it('are kept with the job, and its texts keep their numbers', async () => {
    const names = { 'Speaker 1': ' Katie O’Hara ', 'Speaker 2': '王' };
    const answer = await change(id, { speaker_names: names });
    expect(answer.status).toBe(200);
    const body = JobDetail.parse(await answer.json());
    expect(body).toMatchObject({
      speaker_names: { 'Speaker 1': 'Katie O’Hara', 'Speaker 2': '王' },
      diarization: '[Speaker 1]: good morning everyone',
    });
    expect((await customer.get(`/api/v1/jobs/${id}`)).body).toEqual(body);
  });

  it('are lost where they are not named again', async () => {
    await change(id, { speaker_names: { 'Speaker 1': 'Katie', 'Speaker 2': 'Steve' } });
    await change(id, { speaker_names: { 'Speaker 2': 'Stephen' } });
    const { body } = await customer.get(`/api/v1/jobs/${id}`);
    expect(body['speaker_names']).toEqual({ 'Speaker 2': 'Stephen' });
  });

  it.each([
    ['no names', {}, 'speaker_names: must be an object'],
    ['a list', { speaker_names: ['Katie'] }, 'speaker_names: must be an object'],
    ['another label', { speaker_names: { Katie: 'Katie' } }, 'must be a label such as Speaker 1'],
    ['an empty name', { speaker_names: { 'Speaker 1': '  ' } }, 'must not be empty'],
    ['a number', { speaker_names: { 'Speaker 1': 1 } }, 'must be a text'],
    ['a long name', { speaker_names: { 'Speaker 1': 'K'.repeat(81) } }, 'must have at most 80 characters'],
    ['two lines', { speaker_names: { 'Speaker 1': 'a\nb' } }, 'must be a single line of text'],
    ['a NUL', { speaker_names: { 'Speaker 1': 'a\u0000' } }, 'must be a single line of text'],
    ['half a character', '{"speaker_names":{"Speaker 1":"a\\ud83d"}}', 'must be a single line of text'],
    [
      'too many',
      {
        speaker_names: Object.fromEntries(
          Array.from({ length: 21 }, (_, index) => [`Speaker ${index + 1}`, 'K']),
        ),
      },
      'must name at most 20 voices',
    ],
  ])('%s is 400, and changes nothing', async (_, body, detail) => {
    await change(id, { speaker_names: { 'Speaker 1': 'Katie' } });
    const answer = await change(id, body);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { detail: string }).detail).toContain(detail);
    const { body: job } = await customer.get(`/api/v1/jobs/${id}`);
    expect(job['speaker_names']).toEqual({ 'Speaker 1': 'Katie' });
  });
});

describe('the transcript as a file', () => {
  const of = (format: string) => `/api/v1/jobs/${id}/transcript?format=${format}`;

  it.each([
    ['txt', 'text/plain; charset=utf-8', 'Katie: good morning everyone\n'],
    [
      'srt',
      'application/x-subrip; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:03,000\nKatie: good morning everyone\n',
    ],
    [
      'vtt',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:03.000\n<v Katie>good morning everyone\n',
    ],
  ])('has as %s the names that were given', async (format, contentType, expected) => {
    await change(id, { speaker_names: { 'Speaker 1': 'Katie' } });
    const response = await fetched(of(format));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Gesprach (1).${format}"; filename*=UTF-8''Gespr%C3%A4ch%20%281%29.${format}`,
    );
    expect(await response.text()).toBe(expected);
  });

  it('is as json, and unless another form is asked for, the detail form with words', async () => {
    const { body } = await customer.get(`/api/v1/jobs/${id}?words=true`);
    for (const path of [of('json'), `/api/v1/jobs/${id}/transcript`]) {
      const response = await fetched(path);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; .*\.json$/);
      expect(await response.json()).toEqual(body);
    }
  });

  it('in a form that there is not is 400', async () => {
    expect(await customer.get(of('docx'))).toMatchObject({
      status: 400,
      body: { detail: 'format: must be one of json, txt, srt, vtt' },
    });
  });

  it('is 409 before there is one, while the recording can be heard already', async () => {
    const waiting = await customer.submit({ name: 'a.wav', bytes });
    expect((await customer.get(`/api/v1/jobs/${waiting}/transcript`)).status).toBe(409);
    expect((await bodyOf(await fetched(`/api/v1/jobs/${waiting}/audio`))).equals(bytes)).toBe(true);
    await worker.report(await worker.begin(waiting), {
      kind: 'refused',
      code: 'undecodable_audio',
      detail: 'no audio',
    });
    expect(await customer.finished(waiting)).toMatchObject({ status: 'failed', audio_available: true });
    expect((await customer.get(`/api/v1/jobs/${waiting}/transcript?format=vtt`)).status).toBe(409);
  });
});

describe('the recording', () => {
  const audio = () => `/api/v1/jobs/${id}/audio`;
  const ranged = (range: string, more: Record<string, string> = {}) =>
    fetched(audio(), { headers: { Range: range, ...more } });

  it('comes as it was sent', async () => {
    const response = await fetched(audio());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-type': 'audio/wav',
      'content-length': String(bytes.length),
      'content-disposition': `inline; filename="Gesprach (1).wav"; filename*=UTF-8''Gespr%C3%A4ch%20%281%29.wav`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    expect(response.headers.get('content-range')).toBeNull();
    expect((await bodyOf(response)).equals(bytes)).toBe(true);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=100-199', 100, 200],
    ['bytes=90000-', 90_000, bytes.length],
    ['bytes=-44', bytes.length - 44, bytes.length],
    ['bytes=95000-999999999', 95_000, bytes.length],
    ['bytes=0-', 0, bytes.length],
  ])('%s is that part of it', async (range, start, end) => {
    const response = await ranged(range);
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
    expect(response.headers.get('content-length')).toBe(String(end - start));
    expect((await bodyOf(response)).equals(bytes.subarray(start, end))).toBe(true);
  });

  it('has no bytes beyond its end', async () => {
    const response = await ranged(`bytes=${bytes.length}-`);
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe(`bytes */${bytes.length}`);
    expect(await response.json()).toEqual({ detail: `The recording has ${bytes.length} bytes.` });
  });

  it.each(['bytes=0-1,5-6', 'bytes=9-3', 'lines=1-2'])('%s is answered with all of it', async (range) => {
    const response = await ranged(range);
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).equals(bytes)).toBe(true);
  });

  it('is sent in part only to who has the same one', async () => {
    const tag = (await fetched(audio(), { method: 'HEAD' })).headers.get('etag')!;
    expect((await ranged('bytes=0-9', { 'If-Range': tag })).status).toBe(206);
    expect((await ranged('bytes=0-9', { 'If-Range': '"another"' })).status).toBe(200);
  });

  it('is described to HEAD without a body', async () => {
    const whole = await fetched(audio(), { method: 'HEAD' });
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-length')).toBe(String(bytes.length));
    const part = await fetched(audio(), { method: 'HEAD', headers: { Range: 'bytes=5-9' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-length')).toBe('5');
  });

  const itOnLinux = existsSync('/proc/self/net/tcp') ? it : it.skip;
  itOnLinux('that two clients leave in the middle of holds no connection to the store', async () => {
    const long = await customer.submit({ name: 'long.wav', bytes: wav(1_200) });
    const responses = await Promise.all([begin(long), begin(long)]);
    expect(connectionsToStore()).toBeGreaterThanOrEqual(2);
    for (const response of responses) response.destroy();
    for (let tries = 0; connectionsToStore() > 0; tries++) {
      if (tries > 200) throw new Error(`${connectionsToStore()} connections to the store stay open`);
      await sleep(50);
    }
    expect((await ranged('bytes=0-9')).status).toBe(206);
    expect(platform.logs('gateway')).not.toMatch(/"level":50|"level":"error"/);
  });

  it('can be open six times at once for an account, and others are not kept from theirs', async () => {
    const long = await customer.submit({ name: 'long.wav', bytes: wav(1_200) });
    const theirs = await other.submit({ name: 'a.wav', bytes });
    const open = await Promise.all(Array.from({ length: 6 }, () => begin(long)));
    expect(open.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
    try {
      for (const seventh of [await ranged('bytes=0-9'), await fetched(`/api/v1/jobs/${long}/audio`)]) {
        expect(seventh.status).toBe(429);
        expect(seventh.headers.get('retry-after')).toBe('10');
        expect(seventh.headers.get('content-type')).toMatch(/^application\/json/);
        expect(seventh.headers.get('content-range')).toBeNull();
        expect(await seventh.json()).toEqual({
          detail: 'At most 6 recordings can be open at a time. Wait 10 seconds, then try again.',
        });
      }
      expect((await fetched(audio(), { method: 'HEAD' })).status).toBe(200);
      expect((await bodyOf(await fetched(`/api/v1/jobs/${theirs}/audio`, {}, other))).equals(bytes)).toBe(
        true,
      );
      open.pop()!.destroy();
      for (let tries = 0; (await ranged('bytes=0-9')).status !== 206; tries++) {
        if (tries > 100) throw new Error('the place that was left is not free again');
        await sleep(50);
      }
    } finally {
      for (const response of open) response.destroy();
    }
  });

  /** The answer once its first bytes are there; nothing more is read. */
  function begin(jobId: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = httpGet(
        `${platform.baseUrl}/api/v1/jobs/${jobId}/audio`,
        { headers: { 'X-API-Key': customer.apiKey! }, agent: false },
        (response) => response.once('readable', () => resolve(response)),
      );
      request.on('error', reject);
    });
  }

  /** Established connections of the gateway to the object store, as the kernel counts them. */
  function connectionsToStore(): number {
    const pid = platform.pids()['gateway']!;
    const port = Number(new URL(platform.s3.endpoint).port).toString(16).toUpperCase().padStart(4, '0');
    const mine = new Set(
      readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
        } catch {
          return undefined;
        }
      }),
    );
    return ['tcp', 'tcp6']
      .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, , remote, state, , , , , , inode]) =>
          remote?.endsWith(`:${port}`) && state === '01' && mine.has(inode),
      ).length;
  }

  it('is gone when its time is over, and what was said stays', async () => {
    const old = await completed(customer, 'long ago');
    await database.query(`UPDATE jobs SET audio_expires_at = now() - interval '1 second' WHERE id = $1`, [
      old,
    ]);
    await customer.until(old, (job) => job['audio_available'] === false, 10);
    expect(await customer.get(`/api/v1/jobs/${old}/audio`)).toMatchObject({
      status: 404,
      body: { detail: 'The recording of this job is not kept any more.' },
    });
    expect(await (await fetched(`/api/v1/jobs/${old}/transcript?format=txt`)).text()).toBe(
      'Speaker 1: long ago\n',
    );
    expect((await customer.job(old)).transcription).toBe('long ago');
  });
});

describe('for every other account, and for the other mode, a job does not exist', () => {
  const routes: [string, string][] = [
    ['GET', ''],
    ['GET', '?words=true'],
    ['PATCH', ''],
    ['GET', '/audio'],
    ['GET', '/transcript'],
    ['GET', '/transcript?format=srt'],
  ];

  it.each(routes)('%s /jobs/{id}%s', async (method, rest) => {
    const init: RequestInit =
      method === 'PATCH'
        ? {
            method,
            headers: { 'Content-Type': 'application/json' },
            body: '{"speaker_names":{"Speaker 1":"Mallory"}}',
          }
        : { method, headers: { Range: 'bytes=0-1' } };
    const answers = [
      await fetched(`/api/v1/jobs/${id}${rest}`, init, other),
      await fetched(`/v1/jobs/${id}${rest}`, init, other),
      await fetched(`/api/v1/jobs/${id}${rest}`, init, testKey),
      await fetched(`/api/v1/jobs/01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55${rest}`, init, other),
      await fetched(`/api/v1/jobs/nonsense${rest}`, init, other),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ detail: 'Job not found' });
    }
    if (method !== 'GET') return;
    const head = await fetched(`/api/v1/jobs/${id}${rest}`, { method: 'HEAD' }, other);
    expect(head.status).toBe(404);
    expect((await customer.job(id))['speaker_names']).not.toMatchObject({ 'Speaker 1': 'Mallory' });
  });

  it('nor does a test job for a live key of the same account', async () => {
    const testJob = await completed(testKey, 'only a test');
    for (const [method, rest] of routes.filter(([verb]) => verb === 'GET')) {
      expect((await fetched(`/api/v1/jobs/${testJob}${rest}`, { method }, testKey)).status).toBe(200);
      expect((await fetched(`/api/v1/jobs/${testJob}${rest}`, { method }, customer)).status).toBe(404);
    }
    expect((await change(testJob, { speaker_names: {} }, customer)).status).toBe(404);
    expect((await change(testJob, { speaker_names: { 'Speaker 1': 'Katie' } }, testKey)).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE'])('%s is no verb of a recording or a transcript', async (method) => {
    for (const rest of ['/audio', '/transcript']) {
      expect((await fetched(`/api/v1/jobs/${id}${rest}`, { method })).status).toBe(405);
    }
  });
});
