import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStore } from '@currawong/object-store';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from '../client';
import { wav } from '../recordings';
import { exchange, type Received } from './raw-connection';

// Requests that no browser and no library would send, over bare connections to the gateway as it runs. Each ends within
// bounds, in an honest refusal or in what it plainly asked for; the gateway stays well and nothing is left behind.

jest.setTimeout(90_000);

const SMALL = wav(0.2);
let platform: TestPlatform;
let customer: Client & { accountId: string };

beforeAll(async () => {
  platform = await startPlatform({
    // On a busy machine the gateway would refuse what is sent before it has looked at it: that is another test's.
    env: { RECOGNIZER: 'null', MAX_FILE_BYTES: '2000000', MAX_EVENT_LOOP_DELAY_MS: '60000' },
  });
  customer = await newCustomer(platform, { creditAud: '20' });
}, 120_000);

afterAll(() => platform?.stop());

afterEach(async () => {
  // Whatever was sent: the same process goes on, and is well.
  expect(platform.logs('gateway')).not.toMatch(/uncaught|unhandled/i);
  expect((await customer.get('/health')).status).toBe(200);
});

const part = (head: string, content: string | Buffer = '') =>
  Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, content: Buffer = SMALL) =>
  part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: audio/wav`, content);
const end = Buffer.from('--b--\r\n');
const good = Buffer.concat([file('a.wav'), end]);

const MULTIPART = 'multipart/form-data; boundary=b';

function upload(body: Buffer, type = MULTIPART, more = ''): Promise<Received> {
  const head =
    `POST /api/v1/transcribe HTTP/1.1\r\nHost: x\r\nX-API-Key: ${customer.apiKey}\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n${more}Connection: close\r\n\r\n`;
  return exchange(platform.baseUrl, { pieces: [head, body] });
}

describe('multipart', () => {
  const tenThousand = Buffer.concat(Array.from({ length: 10_000 }, (_, index) => field(`f${index}`, '')));
  const bodies: [name: string, body: () => Buffer, type?: string][] = [
    ['of ten thousand parts', () => Buffer.concat([tenThousand, good])],
    [
      'of ten thousand files',
      () =>
        Buffer.concat([...Array.from({ length: 10_000 }, (_, n) => file(`${n}.wav`, Buffer.alloc(0))), end]),
    ],
    [
      'with a header of one megabyte in a part',
      () =>
        Buffer.concat([
          part(
            `X: ${'y'.repeat(1_000_000)}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"`,
            SMALL,
          ),
          end,
        ]),
    ],
    ['with a part whose headers never end', () => Buffer.from(`--b\r\n${'X-Y: z\r\n'.repeat(60_000)}`)],
    ['with the wrong boundary', () => good, 'multipart/form-data; boundary=other'],
    ['without a boundary', () => good, 'multipart/form-data'],
    ['with an empty boundary', () => good, 'multipart/form-data; boundary='],
    [
      'with a boundary of ten kilobytes',
      () => Buffer.from(`--${'b'.repeat(10_000)}\r\n`),
      `multipart/form-data; boundary=${'b'.repeat(10_000)}`,
    ],
    ['with two boundaries', () => good, 'multipart/form-data; boundary=x; boundary=y'],
    [
      'in another multipart',
      () =>
        Buffer.concat([
          part(
            'Content-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=inner',
            `--inner\r\nContent-Disposition: file; filename="a.wav"\r\n\r\n${SMALL.toString('latin1')}\r\n--inner--`,
          ),
          end,
        ]),
    ],
    ['of another kind', () => good, 'multipart/mixed; boundary=b'],
    ['called JSON', () => good, 'application/json'],
    ['called a form', () => Buffer.from('file=a.wav'), 'application/x-www-form-urlencoded'],
    ['cut off in a header', () => Buffer.from('--b\r\nContent-Disposition: form-data; na')],
    ['cut off in the file', () => file('a.wav').subarray(0, 200)],
    ['cut off before the last boundary', () => file('a.wav')],
    [
      'with the file as a field in UTF-16',
      () =>
        Buffer.concat([
          part(
            'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav; charset=utf-16le',
            'RIFF',
          ),
          end,
        ]),
    ],
    [
      'whose file is encoded',
      () =>
        Buffer.concat([
          part(
            'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Transfer-Encoding: base64',
            SMALL.toString('base64'),
          ),
          end,
        ]),
    ],
    ['with a part without a name', () => Buffer.concat([part('Content-Disposition: form-data', 'x'), end])],
    ['with a part without anything', () => Buffer.concat([Buffer.from('--b\r\n\r\n'), end])],
    ['of nothing but line ends', () => Buffer.from('\r\n'.repeat(200_000))],
    ['of nothing but boundaries', () => Buffer.from('--b\r\n'.repeat(100_000))],
    ['of zeros', () => Buffer.alloc(600_000)],
  ];

  // Each row is made whole: a test that takes more than its row holds is given a callback, and waited for.
  const rows = bodies.map(([name, body, type]) => [name, body, type ?? MULTIPART] as const);
  it.each(rows)('%s is refused at once, in words', async (_, body, type) => {
    const { statuses, text, seconds } = await upload(body(), type);
    expect(statuses).toEqual([400]);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toEqual({
      detail: expect.any(String) as string,
    });
    expect(seconds).toBeLessThan(8);
  });

  it('fields named like parts of an object, or sent twice, are fields and nothing else', async () => {
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '__proto__[language]',
      'language[]',
      'language[$ne]',
    ];
    const body = Buffer.concat([
      ...names.map((name) => field(name, 'fr')),
      field('language', 'xx'),
      field('language', 'en'),
      good,
    ]);
    expect((await upload(body)).statuses).toEqual([200]);
    const job = await newest();
    expect(job).toMatchObject({ language: 'en', original_filename: 'a.wav' });
    expect(({} as Record<string, unknown>)['language']).toBeUndefined();
  });

  it('and what was refused has left no recording and no hold', async () => {
    const { jobs } = (await customer.get('/api/v1/jobs?page_size=100')).body as { jobs: { id: string }[] };
    await Promise.all(jobs.map(({ id }) => customer.finished(id)));
    const store = createObjectStore({ ...platform.s3 });
    const recordings: string[] = [];
    for await (const { key } of store.list(`audio/${customer.accountId}/`)) recordings.push(key);
    store.close();
    expect(recordings).toHaveLength(jobs.length);
    expect((await platform.admin<{ open_holds: unknown[] }>('ledger', 'check')).open_holds).toEqual([]);
  });
});

describe('names of files', () => {
  const names: [sent: string, shown: RegExp][] = [
    ['../../../../etc/passwd.wav', /^passwd\.wav$/],
    ['..\\..\\windows\\system32\\a.wav', /^a\.wav$/],
    ['a%0d%0aSet-Cookie: x=y%0d%0a.wav', /^[^\r\n]*\.wav$/],
    ['a%22; filename=b.exe;.wav', /\.wav$/],
    ['=cmd|%27 -C calc%27!A0.wav', /^=cmd/],
    ['<script>alert(1)</script>.wav', /^script>\.wav$/],
    ['\u202egpj.wav', /^gpj\.wav$/],
    ['a\u0000.exe.wav', /^a\.exe\.wav$/],
    ['ملف صوتي.wav', /^ملف صوتي\.wav$/],
    ['🎙️🦘.wav', /🦘\.wav$/],
    [`${'n'.repeat(6_000)}.wav`, /^n{251}\.wav$/],
    ['${jndi:ldap://x/a}.wav', /^a\}\.wav$/],
  ];

  it.each(names.map(([sent, shown]) => [sent.slice(0, 60), sent, shown] as const))(
    '%j is harmless in JSON, in headers, in the statement and in the log',
    async (_, sent, shown) => {
      const { statuses } = await upload(Buffer.concat([file(sent), end]));
      expect(statuses).toEqual([200]);
      const { id } = await newest();
      const job = await customer.finished(id);
      expect(job['original_filename']).toMatch(shown);
      expect(job['original_filename']).not.toMatch(/[\u0000-\u001f\u202a-\u202e/\\]/);
      for (const path of ['/transcript?format=txt', '/transcript?format=vtt', '/audio']) {
        const response = await fetch(`${platform.baseUrl}/api/v1/jobs/${id}${path}`, { headers: key() });
        await response.arrayBuffer();
        const disposition = response.headers.get('content-disposition')!;
        expect(disposition).toMatch(
          /^(attachment|inline); filename="[^"\\]*"; filename\*=UTF-8''[\w.!#$&+^`|~%-]*$/,
        );
        expect(response.headers.get('set-cookie')).toBeNull();
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      }
      const csv = await (
        await fetch(`${platform.baseUrl}/api/v1/statement?format=csv`, {
          headers: { ...key(), Accept: 'text/csv' },
        })
      ).text();
      for (const cell of csv.split(/[,\r\n]/)) expect(cell).not.toMatch(/^"?\s*[=+@]/);
      // One line an entry, each of them JSON: no name can write a line of its own.
      for (const line of platform.logs('gateway').trimEnd().split('\n'))
        expect(() => JSON.parse(line) as unknown).not.toThrow();
    },
  );
});

describe('two readings of one request', () => {
  const head = (lines: string) => `POST /api/v1/keys HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n`;
  const hidden = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const requests: [name: string, bytes: string][] = [
    ['a length and chunks', `${head('Content-Length: 6\r\nTransfer-Encoding: chunked')}0\r\n\r\n${hidden}`],
    ['two lengths', `${head('Content-Length: 0\r\nContent-Length: 37')}${hidden}`],
    ['a length with a sign', `${head('Content-Length: +0')}${hidden}`],
    ['a length in other digits', `${head('Content-Length: 0x0')}${hidden}`],
    ['chunked, and something else', `${head('Transfer-Encoding: chunked, identity')}0\r\n\r\n${hidden}`],
    ['chunked written oddly', `${head('Transfer-Encoding: xchunked')}0\r\n\r\n${hidden}`],
    ['a blank before the colon', `${head('Transfer-Encoding : chunked')}0\r\n\r\n${hidden}`],
    ['a chunk of no number', `${head('Transfer-Encoding: chunked')}zz\r\n\r\n${hidden}`],
    ['a chunk of a negative size', `${head('Transfer-Encoding: chunked')}-1\r\n\r\n${hidden}`],
    ['a chunk beyond all numbers', `${head('Transfer-Encoding: chunked')}fffffffffffffffff\r\n\r\n${hidden}`],
    [
      'lines that end without a return',
      `POST /api/v1/keys HTTP/1.1\nHost: x\nContent-Length: 0\n\n${hidden}`,
    ],
    ['a header that goes on in the next line', `${head('X-A: b\r\n Content-Length: 5')}${hidden}`],
    ['a NUL in a header', `${head('X-A: b\0c')}${hidden}`],
  ];

  it.each(requests)('%s: what is hidden behind it is never answered', async (_, bytes) => {
    const { statuses, text } = await exchange(platform.baseUrl, { pieces: [bytes], quietMs: 1_000 });
    expect(text).not.toContain('404');
    expect(statuses.length).toBeLessThanOrEqual(1);
    for (const status of statuses) expect(status).toBeGreaterThanOrEqual(400);
  });

  it('two honest requests behind each other get two answers', async () => {
    const one = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    expect((await exchange(platform.baseUrl, { pieces: [one + one], quietMs: 5_000 })).statuses).toEqual([
      200, 200,
    ]);
  });
});

it('what is too large or too deep is refused without harm', async () => {
  const get = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${customer.apiKey}\r\n${more}\r\n`;
  const [manyQueries, longQuery, longHeader, manyHeaders] = await Promise.all(
    [
      get(`/api/v1/jobs?${'page=1&'.repeat(1_500)}`),
      get(`/api/v1/jobs?page=${'1'.repeat(100_000)}`),
      get('/api/v1/jobs', `X-A: ${'b'.repeat(1_000_000)}\r\n`),
      get('/api/v1/jobs', 'X-A: b\r\n'.repeat(100_000)),
    ].map((bytes) => exchange(platform.baseUrl, { pieces: [bytes], quietMs: 10_000 })),
  );
  expect(manyQueries!.statuses).toEqual([400]);
  expect(longQuery!.statuses).toEqual([431]);
  expect(longHeader!.statuses).toEqual([431]);
  expect(manyHeaders!.statuses).toEqual([431]);
  const json = async (body: string, type = 'application/json', more: Record<string, string> = {}) =>
    (
      await fetch(`${platform.baseUrl}/api/v1/session`, {
        method: 'POST',
        body,
        headers: { 'Content-Type': type, ...more },
      })
    ).status;
  expect(await json(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)).toBe(400);
  expect(await json(`{"email":"${'a'.repeat(70_000)}"}`)).toBe(400);
  expect(await json('{"__proto__":{"email":"a@example.com","password":"x"}}')).toBe(400);
  expect(await json('{"email":"a@example.com","password":"x"}', 'text/plain')).toBe(400);
  expect(await json('email=a', 'application/x-www-form-urlencoded')).toBe(400);
  expect(await json('{}', 'application/json', { 'Content-Encoding': 'gzip' })).toBe(400);
  expect(await json('{}', 'application/json; charset=utf-7')).toBe(400);
});

it('a client that sends slowly is sent away, wherever in its upload it is, and nobody waits behind it', async () => {
  const start = `POST /api/v1/transcribe HTTP/1.1\r\nHost: x\r\nX-API-Key: ${customer.apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n`;
  const dripping = async function* (opening: string | Buffer) {
    yield start;
    yield opening;
    for (let drops = 0; drops < 120; drops++) {
      await sleep(250);
      yield 'x';
    }
  };
  const openings = [
    '',
    '--b\r\nContent-Disposition: form-',
    '--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n',
    file('a.wav').subarray(0, 4_000),
  ];
  const slow = Promise.all(
    openings.map((opening) => exchange(platform.baseUrl, { pieces: dripping(opening), longestMs: 40_000 })),
  );
  const twenty = async () => {
    const began = performance.now();
    for (let turn = 0; turn < 20; turn++) expect((await customer.get('/api/v1/usage')).status).toBe(200);
    return performance.now() - began;
  };
  const before = await twenty();
  const idle = await thousandIdle();
  try {
    // A thousand connections that say nothing and four that drip: others are served as ever.
    expect(await twenty()).toBeLessThan(Math.max(5_000, 10 * before));
    expect((await customer.transcribe({ name: 'b.wav', bytes: SMALL })).status).toBe(200);
  } finally {
    for (const socket of idle) socket.destroy();
  }
  for (const { statuses, seconds } of await slow) {
    expect(statuses.length).toBeLessThanOrEqual(1);
    for (const status of statuses) expect([400, 408]).toContain(status);
    expect(seconds).toBeLessThan(30);
  }
});

it('and none of all this has cost the gateway much memory', async () => {
  const status = readFileSync(`/proc/${platform.pids()['gateway']}/status`, 'utf8');
  const megabytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1000;
  expect(megabytes).toBeLessThan(450);
});

async function thousandIdle(): Promise<Socket[]> {
  const { hostname, port } = new URL(platform.baseUrl);
  return Promise.all(
    Array.from(
      { length: 1_000 },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => resolve(socket));
          socket.once('error', reject);
          socket.on('error', () => undefined);
        }),
    ),
  );
}

async function newest(): Promise<Record<string, unknown> & { id: string }> {
  const { body } = await customer.get('/api/v1/jobs?page_size=1');
  return (body['jobs'] as (Record<string, unknown> & { id: string })[])[0]!;
}

function key(): Record<string, string> {
  return { 'X-API-Key': customer.apiKey! };
}
