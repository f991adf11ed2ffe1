import { startPlatform, startStripeServer, type StripeServer, type TestPlatform } from '@currawong/testing';
import { once } from 'node:events';
import * as http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

// The contract's own numbers, on two gateways side by side; the proxy before them is the test.
jest.setTimeout(120_000);

let platform: TestPlatform;
let stripe: StripeServer;
let gateways: readonly string[];
let customer: Client & { accountId: string };
const meetCustomer = async () => void (customer = await newCustomer(platform, { creditAud: '5' }));

beforeAll(async () => {
  stripe = await startStripeServer();
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway', 'gateway-2'],
    env: {
      RATE_LIMIT_TRANSCRIBE_PER_MINUTE: '10',
      RATE_LIMIT_REQUESTS_PER_MINUTE: '60',
      RATE_LIMIT_SESSION_REQUESTS_PER_MINUTE: '40',
      RATE_LIMIT_FAILURES_PER_MINUTE: '100',
      TRUSTED_PROXY_HOPS: '1',
      ...stripe.environment,
    },
  });
  gateways = [platform.baseUrl, platform.baseUrlOf('gateway-2')];
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  await stripe?.stop();
});

interface Asked {
  method?: string;
  key?: string | undefined;
  /** The client's address, as the proxy gives it; one of its own for each test unless set. */
  from?: string;
  headers?: Record<string, string>;
  body?: FormData | string;
}

async function ask(gateway: number, path: string, { method = 'GET', key, from, headers, body }: Asked = {}) {
  const response = await fetch(`${gateways[gateway % 2]}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'X-Forwarded-For': from ?? '192.0.2.1',
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const number = (name: string) => Number(response.headers.get(name) ?? NaN);
  return {
    status: response.status,
    headers: response.headers,
    text,
    limit: number('ratelimit-limit'),
    remaining: number('ratelimit-remaining'),
    reset: number('ratelimit-reset'),
    retryAfter: response.headers.get('retry-after'),
  };
}
type Answered = Awaited<ReturnType<typeof ask>>;

function recording(): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(wav(0.1))]), 'a.wav');
  return form;
}

function many(count: number, one: (n: number) => Promise<Answered>): Promise<Answered[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => one(n)));
}

const statuses = (answers: Answered[]) => {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

function expectRefusal(answer: Answered): void {
  expect(answer.status).toBe(429);
  expect(JSON.parse(answer.text)).toEqual({
    detail: expect.stringMatching(/rate limit.* exceeded.*\d+ second/),
  });
  expect(answer.retryAfter).toMatch(/^[1-9]\d*$/);
  expect(Number(answer.retryAfter)).toBeLessThanOrEqual(60);
  expect(answer).toMatchObject({ remaining: 0, reset: Number(answer.retryAfter) });
}

describe('a key', () => {
  beforeEach(meetCustomer);

  it('has 60 requests and 10 transcriptions a minute over all gateways, and again as soon as it has waited', async () => {
    const key = customer.apiKey;
    const usage = (n: number) => ask(n, '/api/v1/usage', { key });
    const transcribe = (n: number) =>
      ask(n, n % 3 ? '/api/v1/transcribe' : '/v1/transcribe', { method: 'POST', key, body: recording() });
    for (let round = 0; round < 2; round++) {
      const [asked, sent] = await Promise.all([many(100, usage), many(15, transcribe)]);
      expect(statuses(asked)).toEqual({ 200: 60, 429: 40 });
      expect(statuses(sent)).toEqual({ 200: 10, 429: 5 });
      const rests = (answers: Answered[]) =>
        answers.filter(({ status }) => status === 200).map(({ remaining }) => remaining);
      expect(rests(asked).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n));
      expect(rests(sent).sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => n));
      const refused = [...asked, ...sent].filter(({ status }) => status === 429);
      refused.forEach(expectRefusal);
      if (round === 0) await sleep(Math.max(...refused.map(({ retryAfter }) => Number(retryAfter))) * 1000);
    }
  });

  it('of another customer, or another key of the same one, has a count of its own', async () => {
    await many(60, (n) => ask(n, '/api/v1/usage', { key: customer.apiKey }));
    const { api_key } = await platform.admin<{ api_key: string }>('key', 'create', customer.accountId);
    expectRefusal(await ask(0, '/api/v1/usage', { key: customer.apiKey }));
    expect(await ask(0, '/api/v1/usage', { key: api_key })).toMatchObject({ status: 200, remaining: 59 });
  });

  it('is counted whatever it asks for: what does not exist, is not allowed or cannot be read', async () => {
    const asked: [string, string, number][] = [
      ['GET', '/api/v1/usage', 200],
      ['GET', '/v1/jobs', 200],
      ['GET', '/nothing', 404],
      ['GET', '/api/v1/jobs/1', 404],
      ['DELETE', '/api/v1/usage', 405],
      ['GET', '/api/v1/transcribe', 405],
      ['GET', '/api/v1/jobs?page=0', 400],
      ['GET', '/%E0%A4%A', 404],
      ['GET', '/queue/status', 200],
    ];
    let left = 60;
    for (const [method, path, status] of asked) {
      const answer = await ask(left, path, { method, key: customer.apiKey });
      expect([path, answer.status, answer.limit, answer.remaining]).toEqual([path, status, 60, --left]);
      expect(answer.reset).toBeGreaterThan(0);
      expect(answer.reset).toBeLessThanOrEqual(60);
    }
    const unreadable = await ask(0, '/API/V1/transcribe/', {
      method: 'POST',
      key: customer.apiKey,
      body: 'x',
    });
    expect(unreadable).toMatchObject({ status: 400, limit: 10, remaining: 9 });
  });

  it('has no more transcriptions for writing the address in another form', async () => {
    const { port } = new URL(gateways[0]!);
    const statusOf = async (target: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `POST ${target} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${customer.apiKey}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      let text = '';
      for await (const bytes of socket) text += String(bytes);
      return Number(text.split(' ')[1]);
    };
    const targets = [
      'ftp://x/api/v1/transcribe',
      'http://x/v1/transcribe',
      '/v1/transcribe#x',
      '/V1/transcribe/',
    ];
    const answered = await Promise.all(Array.from({ length: 16 }, (_, n) => statusOf(targets[n % 4]!)));
    expect(answered.filter((status) => status === 400)).toHaveLength(10);
    expect(answered.filter((status) => status === 429)).toHaveLength(6);
  });

  it('that is revoked is refused by every gateway within a second', async () => {
    const { key_id, api_key } = await platform.admin<{ key_id: string; api_key: string }>(
      ...['key', 'create', customer.accountId, '--name', 'to be revoked'],
    );
    const bothAnswer = () => many(2, (n) => ask(n, '/api/v1/usage', { key: api_key }));
    expect(statuses(await bothAnswer())).toEqual({ 200: 2 });
    await platform.admin('key', 'revoke', key_id);
    await sleep(1000);
    expect(statuses(await bothAnswer())).toEqual({ 401: 2 });
  });
});

describe('a refused upload', () => {
  beforeEach(async () => {
    await meetCustomer();
    const sent = await many(10, (n) =>
      ask(n, '/api/v1/transcribe', { method: 'POST', key: customer.apiKey, body: recording() }),
    );
    expect(statuses(sent)).toEqual({ 200: 10 });
  });

  it.each([0, 1])(
    'of 500 MB is answered by gateway %i before it is sent, and is not taken',
    async (gateway) => {
      const request = http.request(`${gateways[gateway]}/api/v1/transcribe`, {
        method: 'POST',
        headers: {
          'X-API-Key': customer.apiKey,
          'Content-Type': 'multipart/form-data; boundary=x',
          'Content-Length': 500_000_000,
        },
      });
      request.on('error', () => undefined);
      request.flushHeaders();
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      expect(response.statusCode).toBe(429);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      response.resume();
      // As fast as it is taken, for as long as it is taken: what the kernels hold between the two is all.
      const closed = once(request, 'close');
      let over = false;
      void closed.then(() => (over = true));
      const chunk = Buffer.alloc(65_536);
      let sentBytes = 0;
      while (!over && sentBytes < 100_000_000) {
        sentBytes += chunk.length;
        if (!request.write(chunk))
          await Promise.race([once(request, 'drain').catch(() => undefined), closed]);
      }
      expect(sentBytes).toBeLessThan(30_000_000);
      request.destroy();
    },
  );

  it('that asks first whether it may is told no at once; an accepted one is told to go on', async () => {
    const firstLine = async (key: string | undefined) => {
      const socket = connect(Number(new URL(gateways[0]!).port), '127.0.0.1');
      socket.write(
        `POST /v1/transcribe HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nExpect: 100-continue\r\n` +
          'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n',
      );
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return String(bytes).split('\r\n')[0];
    };
    expect(await firstLine(customer.apiKey)).toBe('HTTP/1.1 429 Too Many Requests');
    const other = await newCustomer(platform, { creditAud: '5' });
    expect(await firstLine(other.apiKey)).toBe('HTTP/1.1 100 Continue');
    expect(await firstLine('a wrong key')).toBe('HTTP/1.1 401 Unauthorized');
  });
});

it('the sessions of an account have one count together over all gateways, apart from that of its keys', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email: 'two-browsers@example.com', password: 'correct horse battery' });
  const entered = [
    await ask(0, '/api/v1/sign-up', { method: 'POST', headers, body }),
    await ask(1, '/api/v1/session', { method: 'POST', headers, body }),
  ];
  expect(entered.map(({ status }) => status)).toEqual([201, 200]);
  const cookies = entered.map((answer) => answer.headers.getSetCookie()[0]!.split(';')[0]!);
  expect(cookies[0]).not.toBe(cookies[1]);
  const as = (n: number) => ({ Cookie: cookies[n % 2]! });

  const asked = await many(60, (n) => ask(n >> 1, '/api/v1/session', { headers: as(n) }));
  expect(statuses(asked)).toEqual({ 200: 40, 429: 20 });
  asked.filter(({ status }) => status === 429).forEach(expectRefusal);
  const sent = await many(15, (n) =>
    ask(n >> 1, '/api/v1/transcribe', { method: 'POST', headers: as(n), body: recording() }),
  );
  // Without its X-CSRF-Token nothing is taken from a session; it is counted all the same.
  expect(statuses(sent)).toEqual({ 403: 10, 429: 5 });

  await meetCustomer();
  const both = await ask(0, '/api/v1/usage', { key: customer.apiKey, headers: as(0) });
  expect(both).toMatchObject({ status: 200, limit: 60, remaining: 59 });
});

describe('an address', () => {
  beforeAll(meetCustomer);

  const unknownKey = () => `sk_live_${Math.random().toString(36).slice(2).padEnd(38, '0')}`;

  it('may fail to authenticate 100 times a minute over all gateways; valid keys from it keep working', async () => {
    const from = '198.51.100.1';
    const failures = [
      (n: number) => ask(n, '/api/v1/usage', { from, key: unknownKey() }),
      (n: number) => ask(n, '/api/v1/jobs', { from }),
      (n: number) => ask(n, '/v1/transcribe', { from, method: 'POST', key: '', body: recording() }),
    ];
    const answers = await many(130, (n) => failures[n % 3]!(n));
    expect(statuses(answers)).toEqual({ 401: 100, 429: 30 });
    for (const answer of answers) {
      expect(answer.limit).toBe(100);
      if (answer.status === 429) expectRefusal(answer);
    }
    expect(await ask(0, '/api/v1/usage', { from, key: customer.apiKey })).toMatchObject({
      status: 200,
      limit: 60,
    });
    expect(await ask(1, '/api/v1/usage', { from: '198.51.100.2', key: unknownKey() })).toMatchObject({
      status: 401,
      remaining: 99,
    });
  });

  it('is the one that the trusted proxy saw, whatever the client says before it', async () => {
    const first = await ask(0, '/api/v1/usage', { from: '203.0.113.9, 198.51.100.3' });
    const second = await ask(0, '/api/v1/usage', { from: '203.0.113.10, 198.51.100.3' });
    expect([first.remaining, second.remaining]).toEqual([99, 98]);
  });

  it('cannot try keys on routes that do not exist instead', async () => {
    const from = '198.51.100.4';
    const answers = await many(101, (n) => ask(n, '/api/v1/nothing', { from, key: unknownKey() }));
    expect(statuses(answers)).toEqual({ 404: 100, 429: 1 });
  });

  it('fails with each payment event that is not signed or signed wrongly; one that is signed comes through', async () => {
    const from = '198.51.100.7';
    const event = { id: 'evt_1', object: 'event', type: 'customer.created', data: { object: {} } };
    const send = (n: number, { body, signature }: { body: Buffer; signature: string }) =>
      ask(n, '/api/v1/payment-events', {
        method: 'POST',
        from,
        headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
        body: body.toString(),
      });
    const [right, forged] = [stripe.sign(event), stripe.sign(event, { secret: 'whsec_of_another' })];
    expect(await send(0, right)).toMatchObject({ status: 200, remaining: 100 });
    expect(await send(0, forged)).toMatchObject({ status: 400, remaining: 99 });
    expect(await send(0, { ...right, signature: 'none' })).toMatchObject({ status: 400, remaining: 98 });
    const refused = await many(110, (n) => send(n, n % 2 ? forged : { ...right, signature: 'none' }));
    expect(statuses(refused)).toEqual({ 400: 98, 429: 12 });
    refused.filter(({ status }) => status === 429).forEach(expectRefusal);
    expect((await many(4, (n) => send(n, right))).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('does not fail by asking for what anyone may have', async () => {
    const from = '198.51.100.5';
    for (const path of ['/health', '/health/live', '/', '/dashboard/', '/docs'])
      expect(await ask(0, path, { from, key: 'a wrong key' })).toMatchObject({ limit: 100, remaining: 100 });
  });
});

describe('every answer carries the RateLimit headers', () => {
  beforeAll(meetCustomer);

  const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

  it.each([
    ['GET', '/health', undefined],
    ['GET', '/health/live', undefined],
    ['GET', '/api/v1/health', undefined],
    ['GET', '/', undefined],
    ['GET', '/dashboard/', undefined],
    ['GET', '/docs', undefined],
    ['GET', '/nothing', undefined],
    ['GET', '/%E0%A4%A', undefined],
    ['GET', '/api/v1/usage', undefined],
    ['DELETE', '/api/v1/usage', undefined],
    ['POST', '/api/v1/transcribe', undefined],
    ['OPTIONS', '/api/v1/usage', 'valid'],
    ['HEAD', '/api/v1/usage', 'valid'],
    ['POST', '/api/v1/transcribe', 'valid'],
  ])('%s %s with the key %s', async (method, path, key) => {
    const { headers } = await ask(0, path, { method, from: '198.51.100.6', key: key && customer.apiKey });
    for (const name of names)
      expect([name, headers.get(name)]).toEqual([name, expect.stringMatching(/^\d+$/)]);
  });

  it.each([
    ['what is no HTTP', '\u0000nonsense\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown expectation', 'POST /v1/jobs HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
  ])('to %s', async (_, sent, status) => {
    const socket = connect(Number(new URL(gateways[0]!).port), '127.0.0.1');
    socket.write(sent);
    let text = '';
    for await (const bytes of socket) text += String(bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    for (const name of names) expect(text).toMatch(new RegExp(`\\r\\n${name}: \\d+\\r\\n`, 'i'));
  });

  it('when a service behind the gateway is away', async () => {
    await meetCustomer();
    await platform.halt('billing');
    try {
      const answer = await ask(0, '/api/v1/usage', { key: customer.apiKey });
      expect(answer).toMatchObject({ status: 503, limit: 60, remaining: 59 });
    } finally {
      await platform.resume('billing');
    }
  });

  it('when requests cannot be counted, which is a 503; probes are answered all the same', async () => {
    await meetCustomer();
    const postgres = new Postgres({ connectionString: platform.databaseUrl });
    await postgres.connect();
    try {
      await postgres.query('BEGIN; LOCK TABLE accounts.request_counts IN ACCESS EXCLUSIVE MODE');
      const waiting = ask(0, '/api/v1/usage', { key: customer.apiKey });
      expect((await ask(0, '/health/live')).status).toBe(200);
      const answer = await waiting;
      expect(answer).toMatchObject({ status: 503, limit: 100 });
      expect(JSON.parse(answer.text)).toEqual({
        detail: expect.not.stringMatching(/lock|request_counts|sql/i),
      });
      await postgres.query('ROLLBACK');
      expect(await ask(0, '/api/v1/usage', { key: customer.apiKey })).toMatchObject({
        status: 200,
        remaining: 59,
      });
    } finally {
      await postgres.end();
    }
  });
});
