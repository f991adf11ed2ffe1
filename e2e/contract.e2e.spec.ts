import { startPlatform, type TestPlatform } from '@currawong/testing';
import { connect } from 'node:net';
import { Client, newCustomer } from './client';
import { wav } from './recordings';

// What clients rely on (SPEC parts 1 to 8), over HTTP against the running services.
let platform: TestPlatform;
let customer: Client & { accountId: string };
let other: Client;
let jobId: string;

const recording = { name: 'talk.WAV', bytes: wav(2) };

beforeAll(async () => {
  platform = await startPlatform({ env: { RECOGNIZER: 'null', MAX_FILE_BYTES: '2000000' } });
  customer = await newCustomer(platform, { creditAud: '12.345678', freeMinutes: 1 });
  other = await newCustomer(platform, { creditAud: '1' });
  jobId = await customer.submit(recording);
  await customer.finished(jobId);
}, 120_000);

afterAll(() => platform?.stop());

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('1 base', () => {
  it.each(['/api/v1', '/v1'])('answers under %s', async (base) => {
    expect((await customer.get(`${base}/jobs/${jobId}`)).status).toBe(200);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/api/v1/nothing', 404],
    ['DELETE', '/api/v1/usage', 405],
    ['GET', '/api/v1/transcribe', 405],
    ['POST', '/api/v1/jobs', 405],
    ['GET', '/api/v1/jobs/%E0%A4%A', 404],
    ['GET', '/%E0%A4%A', 404],
  ])('%s %s is %i with a detail', async (method, path, status) => {
    const answer = await customer.send(method, path);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(['detail']);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('names the methods that a path does take', async () => {
    expect((await customer.send('DELETE', '/api/v1/usage')).headers.get('allow')).toMatch(/GET/);
  });

  it('says nothing of what it runs on', async () => {
    const { headers } = await customer.get('/api/v1/usage');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  });
});

describe('2 authentication', () => {
  const routes: [string, string][] = [
    ['POST', '/api/v1/transcribe'],
    ['GET', '/api/v1/jobs'],
    ['GET', '/api/v1/jobs/01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55'],
    ['GET', '/api/v1/usage'],
    ['GET', '/api/v1/credit'],
    ['GET', '/queue/status'],
  ];
  it.each(routes)('%s %s gives one and the same 401 to whoever has no valid key', async (method, path) => {
    for (const key of [undefined, '', 'nonsense', `sk_live_${'a'.repeat(38)}`, `${customer.apiKey}x`]) {
      const answer = await new Client(platform.baseUrl, key).send(method, path);
      expect(answer).toMatchObject({ status: 401, body: { detail: 'Invalid or missing API key' } });
    }
  });

  it('a revoked key is refused within a second', async () => {
    const { key_id, api_key } = await platform.admin<{ key_id: string; api_key: string }>(
      ...['key', 'create', customer.accountId, '--name', 'to be revoked'],
    );
    const client = new Client(platform.baseUrl, api_key);
    expect((await client.get('/api/v1/usage')).status).toBe(200);
    await platform.admin('key', 'revoke', key_id);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await client.get('/api/v1/usage')).status).toBe(401);
  });

  it('an account has at most three unrevoked keys', async () => {
    const { account_id } = await platform.admin<{ account_id: string }>(
      'account',
      'create',
      '--email',
      'keys@example.com',
    );
    const made = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((n) => platform.admin('key', 'create', account_id, '--name', `key ${n}`)),
    );
    expect(made.filter((one) => one.status === 'fulfilled')).toHaveLength(2);
    const { keys } = await platform.admin<{ keys: Record<string, unknown>[] }>('key', 'list', account_id);
    expect(keys).toHaveLength(3);
    expect(Object.keys(keys[0]!)).not.toContain('api_key');
  });

  it('a suspended account gets 403, and is let in again when it is resumed', async () => {
    const someone = await newCustomer(platform);
    expect((await someone.get('/api/v1/usage')).status).toBe(200);
    await platform.admin('account', 'suspend', someone.accountId);
    const refused = await someone.get('/api/v1/usage');
    expect(refused.status).toBe(403);
    expect(refused.body['detail']).toMatch(/not active/);
    await platform.admin('account', 'resume', someone.accountId);
    expect((await someone.get('/api/v1/usage')).status).toBe(200);
  });

  it('a job of another account does not exist', async () => {
    const foreign = await other.get(`/api/v1/jobs/${jobId}`);
    const unknown = await other.get('/api/v1/jobs/01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55');
    const malformed = await other.get('/api/v1/jobs/1');
    expect(foreign).toMatchObject({ status: 404, body: { detail: 'Job not found' } });
    expect([unknown.status, unknown.body, malformed.status, malformed.body]).toEqual([
      404,
      foreign.body,
      404,
      foreign.body,
    ]);
  });

  it('a test key transcribes one minute, costs nothing, and its jobs are seen by test keys alone', async () => {
    const { api_key } = await platform.admin<{ api_key: string }>(
      'key',
      'create',
      customer.accountId,
      '--mode',
      'test',
    );
    const tester = new Client(platform.baseUrl, api_key);
    const before = (await customer.get('/api/v1/credit')).body;
    const job = await tester.finished(await tester.submit({ name: 'long.wav', bytes: wav(61.9) }));
    expect(job).toMatchObject({ status: 'completed', audio_duration_seconds: 60 });
    expect((await customer.get('/api/v1/credit')).body).toEqual(before);
    expect((await customer.get(`/api/v1/jobs/${job.id}`)).status).toBe(404);
    expect((await tester.get(`/api/v1/jobs/${jobId}`)).status).toBe(404);
    expect((await tester.get('/api/v1/jobs')).body['total']).toBe(1);
  });
});

describe('3 POST /transcribe', () => {
  it('answers at once with the receipt', async () => {
    const answer = await customer.transcribe(recording);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      job_id: expect.stringMatching(UUID_V7),
      status: 'processing',
      message: expect.stringContaining(`GET /api/v1/jobs/${String(answer.body['job_id'])}`),
    });
    await customer.finished(String(answer.body['job_id']));
  });

  it('takes the fields after the file as well, and ignores those it does not know', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(wav(1))]), 'a.wav');
    form.set('language', 'en-AU');
    form.set('num_speakers', '3');
    form.set('colour', 'blue');
    const answer = await customer.send('POST', '/api/v1/transcribe', form);
    expect(answer.status).toBe(200);
    const { job } = await platform.admin<{ job: Record<string, unknown> }>(
      'job',
      'show',
      String(answer.body['job_id']),
    );
    expect(job).toMatchObject({ language: 'en', num_speakers: 3 });
    await customer.finished(String(answer.body['job_id']));
  });

  it.each([
    ['num_speakers', '11', 'num_speakers: must be a whole number from 1 to 10'],
    ['num_speakers', 'two', 'num_speakers: must be a whole number from 1 to 10'],
    ['language', 'xx', 'language: must be one of en'],
  ])('%s=%s is 400 and says what is allowed', async (field, value, detail) => {
    expect(await customer.transcribe(recording, { [field]: value })).toMatchObject({
      status: 400,
      body: { detail },
    });
  });

  it.each([
    ['notes.txt', wav(1), /\.mp3 \.wav \.ogg \.flac \.m4a \.mp4 \.webm/],
    ['noise.mp3', Buffer.from('this is no sound at all'.repeat(100)), /^file: its content is not audio/],
    ['empty.wav', Buffer.alloc(0), /^file: the file is empty/],
    ['large.wav', wav(70), /^file: it is larger than the 2 MB/],
  ])('%s is 400 and says why', async (name, bytes, why) => {
    const answer = await customer.transcribe({ name, bytes });
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toMatch(why);
  });

  it('without a file, with two files, or without a readable body is 400', async () => {
    const none = new FormData();
    none.set('language', 'en');
    const two = new FormData();
    two.append('file', new Blob([new Uint8Array(wav(1))]), 'a.wav');
    two.append('file', new Blob([new Uint8Array(wav(1))]), 'b.wav');
    for (const body of [none, two, 'plain text']) {
      const answer = await customer.send('POST', '/api/v1/transcribe', body);
      expect(answer.status).toBe(400);
      expect(answer.body['detail']).toEqual(expect.any(String));
    }
  });

  it('leaves no job behind after anything but a 200', async () => {
    const someone = await newCustomer(platform, { creditAud: '1' });
    await someone.transcribe({ name: 'empty.wav', bytes: Buffer.alloc(0) });
    await someone.transcribe(recording, { num_speakers: '0' });
    await someone.transcribe({ name: 'large.wav', bytes: wav(70) });
    expect((await someone.get('/api/v1/jobs')).body).toMatchObject({ jobs: [], total: 0, total_pages: 0 });
    expect((await someone.get('/api/v1/credit')).body['balance_aud']).toBe('1.00');
  });

  it('below AUD 0.50 without free minutes is 402 with the numbers, before the file is read', async () => {
    const poor = await newCustomer(platform, { creditAud: '0.49' });
    const answer = await poor.transcribe(recording);
    expect(answer.status).toBe(402);
    expect(answer.body['detail']).toMatch(/0\.49.*0\.50|0\.50.*0\.49/s);
    const free = await newCustomer(platform, { freeMinutes: 1 });
    await free.finished(await free.submit(recording));
    expect((await free.get('/api/v1/credit')).body).toMatchObject({
      free_minutes_remaining: 0,
      total_used_aud: '0.00',
    });
  });

  it('takes a prompt with control characters in it', async () => {
    const answer = await customer.transcribe(recording, { prompt: 'Ada\u0000Lovelace' });
    expect(answer.status).toBe(200);
    const { job } = await platform.admin<{ job: Record<string, unknown> }>(
      ...['job', 'show', String(answer.body['job_id'])],
    );
    expect(job).toMatchObject({ prompt: 'Ada Lovelace' });
    await customer.finished(String(answer.body['job_id']));
  });

  it('shows a file name that was sent to do harm as text', async () => {
    const id = await customer.submit({ name: '../../etc/pass\u0007wd.wav', bytes: wav(1) });
    expect((await customer.finished(id))['original_filename']).toBe('passwd.wav');
  });
});

describe('4 jobs', () => {
  it('have every field, always', async () => {
    const job = await customer.job(jobId);
    expect(job).toEqual({
      id: jobId,
      status: 'completed',
      original_filename: 'talk.WAV',
      language: 'en',
      audio_duration_seconds: 2,
      audio_duration_minutes: 2 / 60,
      transcription: '',
      diarization: '',
      error_message: null,
      created_at: expect.stringMatching(TIMESTAMP),
      completed_at: expect.stringMatching(TIMESTAMP),
      progress: 1,
      cost_aud: 0,
      segments: [],
      warnings: [],
    });
  });

  it('are listed newest first, a page at a time, without their texts', async () => {
    const someone = await newCustomer(platform, { freeMinutes: 10 });
    const ids = [];
    for (let n = 0; n < 3; n++) ids.unshift(await someone.submit(recording));
    await Promise.all(ids.map((id) => someone.finished(id)));
    const { body } = await someone.get('/api/v1/jobs?page=1&page_size=2');
    expect(body).toMatchObject({ total: 3, page: 1, page_size: 2, total_pages: 2 });
    const items = body['jobs'] as Record<string, unknown>[];
    expect(items.map((item) => item['id'])).toEqual(ids.slice(0, 2));
    expect(Object.keys(items[0]!)).not.toEqual(expect.arrayContaining(['transcription']));
    expect(Object.keys(items[0]!)).not.toEqual(expect.arrayContaining(['diarization']));
    expect((await someone.get('/api/v1/jobs?page=9')).body).toMatchObject({
      jobs: [],
      total: 3,
      page: 9,
      total_pages: 1,
    });
    expect((await someone.get('/api/v1/jobs?status=completed')).body).toMatchObject({ total: 3 });
    expect((await someone.get('/api/v1/jobs?status=failed')).body).toMatchObject({
      total: 0,
      total_pages: 0,
    });
  });

  it('empty parameters count as absent, and a page beyond all others is empty', async () => {
    const all = (await customer.get('/api/v1/jobs')).body;
    expect((await customer.get('/api/v1/jobs?page=&page_size=&status=')).body).toEqual(all);
    const beyond = await customer.get(`/api/v1/jobs?page=${'9'.repeat(30)}&page_size=100`);
    expect(beyond).toMatchObject({ status: 200, body: { jobs: [], total: all['total'] } });
  });

  it.each([
    'page=0',
    'page=-1',
    'page=x',
    'page=1.5',
    'page_size=0',
    'page_size=101',
    'status=done',
    'page=1&page=2',
  ])('?%s is 400', async (query) => {
    expect((await customer.get(`/api/v1/jobs?${query}`)).status).toBe(400);
  });
});

describe('5 usage and 6 credit', () => {
  it('have the documented fields', async () => {
    const { body } = await other.get('/api/v1/usage');
    expect(body).toEqual({
      billing_period_start: expect.stringMatching(/^\d{4}-\d\d-01$/),
      billing_period_end: expect.stringMatching(/^\d{4}-\d\d-(28|29|30|31)$/),
      included_minutes: 0,
      minutes_used: 0,
      minutes_remaining: 0,
      plan_name: 'Pay As You Go',
      balance_aud: 1,
      price_per_minute_aud: 0.02,
    });
    expect((await other.get('/api/v1/credit')).body).toEqual({
      balance_aud: '1.00',
      price_per_minute_aud: '0.02',
      total_topped_up_aud: expect.stringMatching(/^\d+\.\d\d$/),
      total_used_aud: '0.00',
      estimated_remaining_minutes: 50,
      free_minutes_remaining: 0,
    });
  });

  it('use free minutes first and round towards what the customer has', async () => {
    const { body } = await customer.get('/api/v1/credit');
    expect(body).toMatchObject({ balance_aud: '12.34', total_used_aud: '0.00' });
  });

  it('a top-up by the operator is booked once however often its reference is repeated', async () => {
    const someone = await newCustomer(platform);
    const topUp = [
      'credit',
      'add',
      someone.accountId,
      '--aud',
      '20',
      '--reason',
      'invoice 7',
      '--reference',
      'invoice-7',
    ];
    await platform.admin(...topUp);
    await platform.admin(...topUp);
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '20.00',
      total_topped_up_aud: '20.00',
    });
  });
});

describe('8 health and the legacy surface', () => {
  it.each(['/health', '/api/v1/health'])('%s needs no key', async (path) => {
    expect(await new Client(platform.baseUrl, undefined).get(path)).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
  });

  it('counts the caller’s own jobs and knows a job by its old status', async () => {
    expect((await customer.get('/queue/status')).body).toEqual({ status: 'ok', pending: 0, processing: 0 });
    expect((await customer.get(`/status/${jobId}`)).body).toEqual({ status: 'COMPLETE' });
    expect((await other.get(`/status/${jobId}`)).status).toBe(404);
  });

  it('tells a client that sends no HTTP at all so, and does not fall over', async () => {
    const { port, hostname } = new URL(platform.baseUrl);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('\u0000\u0001nonsense\r\n\r\n'));
      socket.on('data', (bytes) => (text += String(bytes)));
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"[^"]+"\}$/s);
    expect((await customer.get('/health')).status).toBe(200);
  });
});

it('leaves books that add up', async () => {
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
});
