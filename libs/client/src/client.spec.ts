import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Currawong, type CurrawongOptions } from './client';
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CurrawongError,
  InsufficientCreditError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './errors';
import type { Retry } from './http';
import { answer, startMisbehavingServer, type Behaviour, type MisbehavingServer } from './misbehaving-server';

const RECEIPT = {
  job_id: '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55',
  status: 'processing',
  message: 'Accepted.',
};
const folder = mkdtempSync(join(tmpdir(), 'currawong-client-'));

let server: MisbehavingServer;
let retries: Retry[];
beforeAll(async () => (server = await startMisbehavingServer()));
beforeEach(() => (retries = []));
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function client(options: Partial<CurrawongOptions> = {}): Currawong {
  return new Currawong({
    ...{ apiKey: 'sk_test_key', baseUrl: server.url, onRetry: (retry) => retries.push(retry) },
    ...options,
  });
}

function fileOf(sizeBytes: number, name = 'talk.m4a'): string {
  const path = join(folder, name);
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1000) bytes[at] = at / 1000;
  writeFileSync(path, bytes);
  return path;
}

/** Takes the form apart as a server does, and accepts it. */
function accepting(forms: FormData[]): Behaviour {
  return async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const headers = { 'content-type': request.headers['content-type']! };
    forms.push(await new Response(Buffer.concat(pieces), { headers }).formData());
    response.end(JSON.stringify(RECEIPT));
  };
}

describe('sending a recording', () => {
  it('streams the file with its length, its name and the fields that were given', async () => {
    const forms: FormData[] = [];
    server.behave(accepting(forms));
    const path = fileOf(3_000_001, 'a "name".m4a');
    const options = {
      language: 'en-AU',
      speakers: 3,
      prompt: ['Katie', 'Ng'],
      analysis: 'sentiment',
    } as const;
    expect(await client().transcribe(path, options)).toEqual(RECEIPT);
    const [form] = forms;
    expect(Object.fromEntries([...form!].filter(([name]) => name !== 'file'))).toEqual({
      ...{ language: 'en-AU', num_speakers: '3', prompt: 'Katie, Ng', analysis: 'sentiment' },
    });
    const file = form!.get('file') as File;
    expect([file.size, file.name]).toEqual([3_000_001, 'a "name".m4a']);
    expect([...new Uint8Array(await file.arrayBuffer()).slice(5_000, 5_001)]).toEqual([5]);
    const { headers, url } = server.requests[0]!;
    expect(url).toBe('/api/v1/transcribe');
    expect(headers).toMatchObject({ 'x-api-key': 'sk_test_key' });
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(headers['content-length'])).toBeGreaterThan(3_000_001);
    expect(headers['transfer-encoding']).toBeUndefined();
  });

  it.each([
    ['a File', new File(['abc'], 'b.wav')],
    ['a Blob with a name', { data: new Blob(['abc']), name: 'b.wav' }],
  ])('takes %s as well', async (_, recording) => {
    const forms: FormData[] = [];
    server.behave(accepting(forms));
    await client().transcribe(recording);
    expect([...forms[0]!]).toEqual([['file', expect.objectContaining({ name: 'b.wav', size: 3 })]]);
  });

  it('tells how much was sent, up to the last byte', async () => {
    server.behave(accepting([]));
    const heard: number[] = [];
    await client().transcribe(
      fileOf(2_000_000),
      {},
      { onUploadProgress: ({ sentBytes }) => heard.push(sentBytes) },
    );
    expect(heard.length).toBeGreaterThan(20);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect([heard[0], heard.at(-1)]).toEqual([0, 2_000_000]);
  });

  it.each<[string, Behaviour]>([
    ['the service cannot take it', answer(503, { detail: 'In a moment.' })],
    ['a proxy answers for it', answer(502, '<html>Bad gateway</html>')],
    ['the connection is lost', (request) => void request.once('data', () => request.socket.destroy())],
  ])('is tried again, whole and as the same submission, when %s', async (_, failing) => {
    const forms: FormData[] = [];
    server.behave(failing, accepting(forms));
    await client().transcribe(fileOf(300_000));
    expect((forms[0]!.get('file') as File).size).toBe(300_000);
    expect(server.requests).toHaveLength(2);
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[1]).toBe(keys[0]);
    expect(retries).toHaveLength(1);
  });

  it('waits for as long as the rate limit says', async () => {
    server.behave(answer(429, { detail: 'Too often.' }, { 'Retry-After': '1' }), accepting([]));
    const beganAtMs = performance.now();
    await client().transcribe(fileOf(1));
    expect(performance.now() - beganAtMs).toBeGreaterThan(950);
    expect(retries).toMatchObject([
      { attempt: 1, delaySeconds: 1, error: { status: 429, detail: 'Too often.' } },
    ]);
  });

  it('does not wait for longer than it may', async () => {
    server.behave(answer(429, { detail: 'Too often.' }, { 'Retry-After': '300' }));
    await expect(client().transcribe(fileOf(1))).rejects.toMatchObject({ status: 429, retryAfter: 300 });
    expect(server.requests).toHaveLength(1);
  });

  it('hears a refusal that comes before everything is sent', async () => {
    // Nothing of the body is read: 20 MB are more than what fits on the way.
    server.behave((_request, response) => {
      response.writeHead(401, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ detail: 'Invalid or missing API key' }));
    });
    const refused = client().transcribe(fileOf(20_000_000));
    await expect(refused).rejects.toThrow(AuthenticationError);
    await expect(refused).rejects.toThrow('Invalid or missing API key');
  });

  it('ends at once when it is aborted, during the upload and while it waits', async () => {
    const reason = new Error('enough');
    server.behave(() => undefined);
    const uploading = new AbortController();
    const sent = client().transcribe(fileOf(20_000_000), {}, { signal: uploading.signal });
    setTimeout(() => uploading.abort(reason), 100);
    await expect(sent).rejects.toBe(reason);
    server.behave(answer(503, {}, { 'Retry-After': '60' }));
    const waiting = new AbortController();
    const retried = client({ onRetry: () => waiting.abort(reason) }).transcribe(fileOf(1), {}, waiting);
    await expect(retried).rejects.toBe(reason);
  });

  it('says which file is not there, or changed under its hands', async () => {
    await expect(client().transcribe(join(folder, 'nothing.wav'))).rejects.toThrow(
      /There is no file .*nothing\.wav/,
    );
    await expect(client().transcribe(folder)).rejects.toThrow('is not a file');
    const path = fileOf(10_000_000, 'shrinking.wav');
    server.behave((request) => {
      truncateSync(path, 1_000_000);
      request.resume();
    });
    await expect(client().transcribe(path)).rejects.toThrow(
      new CurrawongError('shrinking.wav changed while it was sent.'),
    );
    expect(retries).toEqual([]);
  });
});

describe('an error', () => {
  it.each([
    [400, InvalidRequestError],
    [401, AuthenticationError],
    [402, InsufficientCreditError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
  ])('%i is a %p with the sentence of the service', async (status, Class) => {
    server.behave(answer(status, { detail: 'Do this.' }));
    const refused = client({ maxRetries: 0 }).usage();
    await expect(refused).rejects.toThrow(Class);
    await expect(refused).rejects.toMatchObject({
      status,
      detail: 'Do this.',
      message: 'Do this.',
      name: Class.name,
    });
  });

  it('without a sentence names the status', async () => {
    server.behave(answer(504, '<html>'));
    await expect(client({ maxRetries: 0 }).credit()).rejects.toThrow('The service answered 504.');
  });

  it('is repeated as often as it may be, and then thrown', async () => {
    server.behave(answer(500, { detail: 'Broken.' }));
    await expect(client({ maxRetries: 2 }).languages()).rejects.toThrow('Broken.');
    expect(server.requests).toHaveLength(3);
    expect(retries[0]!.delaySeconds).toBeLessThanOrEqual(0.5);
    expect(retries[1]!.delaySeconds).toBeGreaterThanOrEqual(0.5);
  });

  it('of what may have been done is thrown at once, of what was refused for now is not', async () => {
    server.behave(answer(500, { detail: 'Broken.' }));
    await expect(client().jobs.rediarize('a', 2)).rejects.toThrow('Broken.');
    expect(server.requests).toHaveLength(1);
    server.behave(answer(503, { detail: 'In a moment.' }), answer(202, { id: 'a' }));
    expect(await client().jobs.rediarize('a', 2)).toEqual({ id: 'a' });
  });

  it('of the network says what was the matter', async () => {
    const gone = await startMisbehavingServer();
    await gone.close();
    const asked = client({ baseUrl: gone.url, maxRetries: 0 }).usage();
    await expect(asked).rejects.toThrow(ConnectionError);
    await expect(asked).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/);
  });

  it('comes where nothing is answered in time', async () => {
    server.behave(() => undefined);
    const asked = client({ timeoutSeconds: 0.2, maxRetries: 0 }).usage();
    await expect(asked).rejects.toThrow('it did not answer in time');
  });

  it('comes where an answer breaks off, and where it leads elsewhere with the key', async () => {
    server.behave((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"half":');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(client({ maxRetries: 0 }).usage()).rejects.toThrow(ConnectionError);
    server.behave(
      (_request, response) => void response.writeHead(307, { Location: `${server.url}/elsewhere` }).end(),
    );
    await expect(client({ maxRetries: 0 }).usage()).rejects.toThrow(ConnectionError);
    expect(server.requests.map(({ url }) => url)).toEqual(['/api/v1/usage']);
  });
});

it.each(['', '/', '/v1', '/api/v1', '/api/v1/'])('the address may end in "%s"', async (end) => {
  server.behave(answer(200, {}));
  await client({ baseUrl: server.url + end }).usage();
  expect(server.requests[0]!.url).toBe('/api/v1/usage');
});

it('an address without a scheme is refused at once', () => {
  expect(() => client({ baseUrl: 'currawong.example' })).toThrow('must begin with https://');
});

it('jobs are listed, renamed and deleted, and ids cannot lead elsewhere', async () => {
  server.behave(answer(200, {}));
  const { jobs } = client();
  await jobs.list({ page: 2, pageSize: 5, status: 'failed' });
  await jobs.rename('a/../b', { 'Speaker 1': 'Katie' });
  await jobs.delete('a');
  await jobs.get('a', { words: true });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/v1/jobs?page=2&page_size=5&status=failed',
    'PATCH /api/v1/jobs/a%2F..%2Fb',
    'DELETE /api/v1/jobs/a',
    'GET /api/v1/jobs/a?words=true',
  ]);
});

it('a request that was aborted before is not sent', async () => {
  server.behave(answer(200, {}));
  await expect(client().usage({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  expect(server.requests).toEqual([]);
});

it('the answer to an upload may take as long as it takes', async () => {
  server.behave(async (request, response) => {
    request.resume();
    await once(request, 'end');
    setTimeout(() => response.end(JSON.stringify(RECEIPT)), 600);
  });
  expect(await client({ timeoutSeconds: 0.3 }).transcribe(fileOf(1))).toEqual(RECEIPT);
});
