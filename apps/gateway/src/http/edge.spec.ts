import { Controller, Get, HttpException, Module, Post, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { createLogger, NestLogger } from '@currawong/telemetry';
import { once } from 'node:events';
import * as http from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import { clientAddress } from './client-address';
import { configureEdge } from './edge';
import { RefusalException } from './refusal.exception';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

@Controller()
class Routes {
  @Get('jobs/:id')
  job() {
    return { status: 'ok' };
  }

  @Post('refused')
  refused() {
    throw RefusalException.of('invalid_api_key');
  }

  @Get('teapot')
  teapot() {
    throw new HttpException('express 5 at gateway-7f9c', 418);
  }

  @Get('broken')
  broken() {
    throw RefusalException.of('upload_failed', undefined, new Error('the disk is full'));
  }
}

@Module({ controllers: [Routes] })
class Edge {}

let app: INestApplication;
let server: http.Server;
let port: number;
let log = '';
let lastClient: string;

async function openEdge(publicUrl?: string): Promise<NestExpressApplication> {
  const logger = new NestLogger(createLogger('test', { write: (line) => void (log += line) }));
  const express = await NestFactory.create<NestExpressApplication>(Edge, new ExpressAdapter(), {
    logger,
    bodyParser: false,
  });
  const limits = {
    middleware: (request: Request, _response: http.ServerResponse, next: () => void) => {
      lastClient = clientAddress(request);
      next();
    },
    headersFor: () => ({ 'RateLimit-Limit': '100' }),
  };
  configureEdge(express, limits, publicUrl === undefined ? {} : { publicUrl });
  await express.listen(0, '127.0.0.1');
  return express;
}
const portOf = (edge: NestExpressApplication) => (edge.getHttpServer().address() as AddressInfo).port;

beforeAll(async () => {
  const express = await openEdge();
  app = express;
  server = express.getHttpServer();
  port = portOf(express);
});
afterAll(async () => {
  server.closeAllConnections();
  await app.close();
});

const SECURITY = {
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const get = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.json() };
};

describe('errors', () => {
  it('a path that cannot be decoded is a path that does not exist', async () => {
    const notFound = { status: 404, body: { detail: 'Not found' } };
    expect(await get('/jobs/%E0%A4%A')).toEqual(notFound);
    expect(await get('/%E0%A4%A')).toEqual(notFound);
    expect(await get('/nothing')).toEqual(notFound);
  });

  it('have our words, not those of a framework', async () => {
    expect(await get('/teapot')).toEqual({
      status: 400,
      body: { detail: 'The request is not well-formed HTTP.' },
    });
  });

  it('are logged with their cause where we are to blame', async () => {
    log = '';
    expect((await get('/broken')).status).toBe(500);
    expect(log).toContain('upload_failed');
    expect(log).toContain('the disk is full');
    log = '';
    await get('/nothing');
    expect(log).toBe('');
  });
});

it('nobody chooses an address: what is forwarded counts only from as many proxies as are trusted', async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.1, 203.0.113.2' };
  const seenBy = async (trustedProxies: number) => {
    (app as NestExpressApplication).set('trust proxy', trustedProxies);
    await (await fetch(`http://127.0.0.1:${port}/jobs/1`, { headers })).text();
    return lastClient;
  };
  await (await fetch(`http://127.0.0.1:${port}/jobs/1`, { headers })).text();
  expect(lastClient).toBe('127.0.0.1');
  expect([await seenBy(1), await seenBy(2), await seenBy(0)]).toEqual([
    '203.0.113.2',
    '203.0.113.1',
    '127.0.0.1',
  ]);
});

describe('what the parser refuses', () => {
  /** What comes back until the connection is closed. */
  async function answerTo(sent: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    socket.write(sent);
    return textOf(socket);
  }
  async function textOf(socket: Socket): Promise<string> {
    let text = '';
    for await (const bytes of socket) text += String(bytes);
    return text;
  }

  it.each([
    ['no HTTP', '\u0000nonsense\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', 400],
    ['20 kB of headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown expectation', 'POST /refused HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
  ])('%s is answered in JSON, and the connection closed', async (_, sent, status) => {
    const text = await answerTo(sent);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toMatch(/content-type: application\/json/i);
    expect(text).toMatch(/connection: close/i);
    expect(text).toMatch(/\r\nratelimit-limit: 100\r\n/i);
    expect(text).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/);
  });

  it('headers that take too long are 408', async () => {
    const connected = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    const [serverSide] = (await connected) as [Socket];
    server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), serverSide);
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 408 .*\{"detail":/s);
  });
});

describe('what protects a browser', () => {
  const requests: [name: string, sent: string, status: number][] = [
    ['an answer', 'GET /jobs/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
    ['a refusal', 'POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n', 401],
    ['what is not there', 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
    ['a breakdown', 'GET /broken HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 500],
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown expectation', 'POST /refused HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
  ];

  async function headersOf(
    edgePort: number,
    sent: string,
  ): Promise<[status: number, Record<string, string>]> {
    const socket = connect(edgePort, '127.0.0.1');
    socket.write(sent);
    let text = '';
    for await (const bytes of socket) text += String(bytes);
    const [first = '', ...lines] = text.split('\r\n\r\n')[0]!.split('\r\n');
    const pairs = lines.map((line) => /^([^:]+): (.*)$/.exec(line)!);
    return [
      Number(first.split(' ')[1]),
      Object.fromEntries(pairs.map(([, name, value]) => [name!.toLowerCase(), value!])),
    ];
  }

  it.each(requests)('stands on %s', async (_, sent, expected) => {
    const [status, headers] = await headersOf(port, sent);
    expect(status).toBe(expected);
    expect(headers).toMatchObject(SECURITY);
    // Over http it would be ignored, and over a proxy's https it is the operator who says so.
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('and browsers are told to keep to https where that is the address of the platform', async () => {
    const overHttps = await openEdge('https://currawong.example');
    const overHttp = await openEdge('http://currawong.example');
    for (const [, sent, expected] of requests) {
      const [status, headers] = await headersOf(portOf(overHttps), sent);
      expect([status, headers]).toMatchObject([
        expected,
        { ...SECURITY, 'strict-transport-security': 'max-age=31536000' },
      ]);
      expect((await headersOf(portOf(overHttp), sent))[1]).not.toHaveProperty('strict-transport-security');
    }
    await Promise.all([overHttps.close(), overHttp.close()]);
  });
});

describe('a body that nobody reads', () => {
  function post(path: string, headers: http.OutgoingHttpHeaders): http.ClientRequest {
    const request = http.request({ port, host: '127.0.0.1', method: 'POST', path, headers });
    request.on('error', () => undefined);
    return request;
  }

  it('is not read for ever, whatever its route', async () => {
    const floods: Promise<[path: string, bytesRead: number]>[] = [];
    for (const path of ['/refused', '/nothing', '/jobs/1']) {
      const connected = once(server, 'connection');
      const request = post(path, {});
      request.write('x');
      const [serverSide] = (await connected) as [Socket];
      floods.push(flood(request, serverSide).then((bytesRead) => [path, bytesRead]));
    }
    const read = Object.fromEntries(await Promise.all(floods));
    expect(Object.keys(read)).toHaveLength(3);
    for (const bytesRead of Object.values(read)) expect(bytesRead).toBeLessThan(20_000_000);
  }, 20_000);

  /** Sends as fast as it is taken, for as long as it is taken. @returns how much that was */
  async function flood(request: http.ClientRequest, serverSide: Socket): Promise<number> {
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect([401, 404, 405]).toContain(response.statusCode);
    response.resume();
    const closed = once(serverSide, 'close');
    const chunk = Buffer.alloc(65_536);
    let over = false;
    void closed.then(() => (over = true));
    while (!over && serverSide.bytesRead < 100_000_000)
      if (!request.write(chunk)) await Promise.race([once(request, 'drain'), closed]);
    request.destroy();
    return serverSide.bytesRead;
  }

  it('that stays away does not hold its connection', async () => {
    const connected = once(server, 'connection');
    const request = post('/refused', { 'content-length': 1000 });
    request.flushHeaders();
    const [serverSide] = (await connected) as [Socket];
    await once(request, 'response');
    await once(serverSide, 'close', { signal: AbortSignal.timeout(8_000) });
  }, 10_000);

  it('that is small leaves its connection fit for the next request', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    for (let index = 0; index < 2; index++) {
      const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/refused', agent });
      request.end(Buffer.alloc(200_000));
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      expect(response.statusCode).toBe(401);
      sockets.add(request.socket);
      for await (const _ of response);
      await sleep(50);
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });
});
