import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { Readable } from 'node:stream';
import { freshBucket } from '@currawong/testing';
import {
  createObjectStore,
  ObjectNotFound,
  StoreUnavailable,
  WrongRegion,
  type ObjectStoreSettings,
} from '.';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const contentType = 'audio/wav';
const settings = { bucket: 'recordings', accessKey: 'key', secretKey: 'secret', region: 'ap-southeast-2' };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

function storeAt(endpoint: string, extra: Partial<ObjectStoreSettings> = {}) {
  const store = createObjectStore({ ...settings, endpoint, ...extra });
  closing.push(() => store.close());
  return store;
}

/** The real store behind a gate that lets `passBytes` of requests through and then does `then` to the connection. */
async function gateBefore(endpoint: string, passBytes: number, then: 'hangs' | 'dies') {
  const { hostname, port } = new URL(endpoint);
  const gate = { broken: false, passedBytes: 0 };
  const server = net.createServer((client) => {
    if (gate.broken) {
      if (then === 'dies') client.destroy();
      return;
    }
    const real = net.connect(Number(port), hostname);
    real.on('error', () => client.destroy());
    client.on('close', () => real.destroy());
    real.on('close', () => client.destroy());
    client.on('data', (chunk) => {
      gate.passedBytes += chunk.length;
      if (gate.passedBytes < passBytes) {
        real.write(chunk);
        return;
      }
      gate.broken = true;
      if (then === 'dies') client.destroy();
      else client.pause();
    });
    real.on('data', (chunk) => gate.broken || client.write(chunk));
  });
  return listen(server);
}

const silent = () => listen(net.createServer(() => undefined));
const content = (sizeBytes: number) =>
  Readable.from(
    (function* () {
      for (let sent = 0; sent < sizeBytes; sent += 65_536)
        yield Buffer.alloc(Math.min(65_536, sizeBytes - sent));
    })(),
  );

it('a store that accepts and never answers ends an upload after the idle time, and the source is released', async () => {
  const store = storeAt(await silent());
  for (const atLeastBytes of [0, 20_000_000]) {
    const source = content(20_000_000);
    const started = Date.now();
    const put = store.put('key', source, { contentType, idleTimeoutMs: 500, atLeastBytes });
    await expect(put).rejects.toBeInstanceOf(StoreUnavailable);
    // Half a second until it is noticed, and the few seconds that clearing up may take.
    expect(Date.now() - started).toBeLessThan(7_000);
    expect(source.destroyed).toBe(true);
  }
});

it('a store that never answers fails the health check within its time', async () => {
  const started = Date.now();
  await expect(storeAt(await silent()).check(300)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(Date.now() - started).toBeLessThan(1_000);
});

it('a store that is down is reported at once, without its address', async () => {
  const endpoint = await silent();
  await closing.pop()?.();
  const store = storeAt(endpoint);
  const failure = await store.check().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect((failure as Error).message).toBe('The object store is not available: ECONNREFUSED');
  await expect(store.stat('key')).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(store.putBuffer('key', Buffer.from('x'), { contentType })).rejects.toBeInstanceOf(
    StoreUnavailable,
  );
});

describe.each(['hangs', 'dies'] as const)('a store that %s in the middle of an upload', (then) => {
  it.each([
    ['gathered', 0],
    ['streamed', 40_000_000],
  ])('fails it and leaves nothing once the janitor has been (%s)', async (_, atLeastBytes) => {
    const real = await freshBucket();
    const endpoint = await gateBefore(real.endpoint, 12_000_000, then);
    const through = storeAt(endpoint, { ...real, endpoint });
    const put = through.put('key', content(40_000_000), { contentType, idleTimeoutMs: 500, atLeastBytes });
    await expect(put).rejects.toBeInstanceOf(StoreUnavailable);
    const direct = storeAt(real.endpoint, real);
    await direct.janitor({ olderThanSeconds: 0 });
    expect(await direct.janitor({ olderThanSeconds: 0 })).toBe(0);
    await expect(direct.stat('key')).rejects.toBeInstanceOf(ObjectNotFound);
  });
});

it('a read is tried again when the store falters, and a write is not', async () => {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method}`);
    request.resume();
    if (requests.length < 3) response.writeHead(503).end();
    else
      response
        .writeHead(200, { 'content-length': '5', etag: '"e"' })
        .end(request.method === 'GET' ? 'hello' : '');
  });
  const store = storeAt(await listen(server));
  expect((await store.getBuffer('key', undefined, 10)).toString()).toBe('hello');
  expect(requests).toEqual(['GET', 'GET', 'GET']);
  requests.length = 0;
  const put = store.putBuffer('key', Buffer.from('x'), { contentType });
  await expect(put).rejects.toThrow('The object store is not available: status 503');
  expect(requests).toEqual(['PUT']);
});

it('a body that breaks off after its headers is read again', async () => {
  let answers = 0;
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-length': '5' });
    if (++answers < 2) response.write('he', () => response.destroy());
    else response.end('hello');
  });
  const store = storeAt(await listen(server));
  expect((await store.getBuffer('key', undefined, 10)).toString()).toBe('hello');
  expect(answers).toBe(2);
});

it('a stream that breaks off fails, it does not end', async () => {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-length': '5' });
    response.write('he', () => response.destroy());
  });
  const stream = await storeAt(await listen(server)).get('key');
  await expect(stream.toArray()).rejects.toBeInstanceOf(StoreUnavailable);
});

it('a connection that the store closed while it was kept does not fail the next request', async () => {
  let answers = 0;
  const server = http.createServer((request, response) => {
    answers++;
    request.resume();
    response.writeHead(200, { etag: '"e"' }).end(() => setImmediate(() => request.socket.destroy()));
  });
  const store = storeAt(await listen(server));
  for (let round = 0; round < 5; round++) await store.putBuffer('key', Buffer.from('x'), { contentType });
  expect(answers).toBe(5);
});

describe('the region', () => {
  const regionServer = (headers: http.OutgoingHttpHeaders, location: string) =>
    listen(
      http.createServer((request, response) => {
        const body = request.url?.includes('location')
          ? `<LocationConstraint>${location}</LocationConstraint>`
          : '';
        response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
      }),
    );

  it('that is not among the required ones is refused before anything is sent', () => {
    const create = () =>
      createObjectStore({
        ...settings,
        endpoint: 'http://127.0.0.1:1',
        region: 'us-east-1',
        requiredRegions: ['ap-southeast-2'],
      });
    expect(create).toThrow(WrongRegion);
  });

  it('of a bucket elsewhere is refused, as told by the header', async () => {
    const store = storeAt(await regionServer({ 'x-amz-bucket-region': 'us-east-1' }, ''));
    await expect(store.verifyRegion()).rejects.toThrow(
      'The bucket is in us-east-1, but ap-southeast-2 is configured',
    );
  });

  it('of a bucket elsewhere is refused, as told by its location', async () => {
    await expect(storeAt(await regionServer({}, 'eu-west-1')).verifyRegion()).rejects.toBeInstanceOf(
      WrongRegion,
    );
  });

  it('is also learnt from a refusal', async () => {
    const server = http.createServer((_, response) => {
      response.writeHead(301, { 'x-amz-bucket-region': 'eu-central-1' }).end();
    });
    await expect(storeAt(await listen(server)).verifyRegion()).rejects.toBeInstanceOf(WrongRegion);
  });

  it('that the store confirms is accepted', async () => {
    const expected = { region: 'ap-southeast-2', statedByStore: true };
    await expect(
      storeAt(await regionServer({ 'x-amz-bucket-region': 'ap-southeast-2' }, '')).verifyRegion(),
    ).resolves.toEqual(expected);
    await expect(storeAt(await regionServer({}, 'ap-southeast-2')).verifyRegion()).resolves.toEqual(expected);
  });

  it('of a bucket that does not exist is no region', async () => {
    const real = await freshBucket();
    const store = storeAt(real.endpoint, { ...real, bucket: 'does-not-exist' });
    await expect(store.verifyRegion()).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
