import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { ErrorFilter } from '../http/error.filter';
import { versioned } from '../http/versioned';
import { isCounted, isTranscribe } from './request-kind';

const request = (method: string, path: string) => ({ method, path });

it.each([
  '/api/v1/transcribe',
  '/v1/transcribe',
  '/v1/transcribe/',
  '/V1/Transcribe',
  '/v1/audio/transcriptions',
  '/api/v1/audio/transcriptions/',
])('POST %s is a transcription', (url) => {
  expect(isTranscribe(request('POST', url))).toBe(true);
  expect(isTranscribe(request('GET', url))).toBe(false);
});

it.each(['/v1/audio/translations', '/transcribe', '/v1/transcribe/x', '/v2/transcribe', '/x/v1/transcribe'])(
  'POST %s is none',
  (url) => {
    expect(isTranscribe(request('POST', url))).toBe(false);
  },
);

it.each([
  '/',
  '/health',
  '/health/live',
  '/api/v1/health',
  '/v1/health/',
  '/docs',
  '/dashboard',
  '/dashboard/assets/a.js',
])('%s is free for anyone', (url) => {
  expect(isCounted(request('GET', url))).toBe(false);
});

it.each([
  '/api/v1/usage',
  '/api/v1/healthy',
  '/queue/status',
  '/nothing',
  '/docsx',
  '/api/v1/openapi.json',
  '*',
])('%s counts for whoever sends a key', (url) => {
  expect(isCounted(request('GET', url))).toBe(true);
});

describe('what the router takes for a route is counted as that route', () => {
  @Controller()
  class Routes {
    @Post(versioned('transcribe'))
    transcribe() {
      return { route: 'transcribe' };
    }

    @Get('health')
    health() {
      return { route: 'health' };
    }

    @Get(versioned('usage'))
    usage() {
      return { route: 'usage' };
    }
  }

  @Module({ controllers: [Routes] })
  class Routed {}

  let app: NestExpressApplication;
  let kind: { transcribe: boolean; counted: boolean } | undefined;

  beforeAll(async () => {
    const options = { logger: false as const, bodyParser: false };
    app = await NestFactory.create<NestExpressApplication>(Routed, new ExpressAdapter(), options);
    app.useGlobalFilters(new ErrorFilter());
    app.use((asked: Request, _response: unknown, next: () => void) => {
      kind = { transcribe: isTranscribe(asked), counted: isCounted(asked) };
      next();
    });
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  /** The route that answered a request line as it stands, if any did. */
  async function routeOf(method: string, target: string): Promise<string | undefined> {
    kind = undefined;
    const { port } = app.getHttpServer().address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    let text = '';
    for await (const bytes of socket) text += String(bytes);
    return /"route":"(\w+)"/.exec(text)?.[1];
  }

  it.each([
    ['POST', '/api/v1/transcribe', 'transcribe'],
    ['POST', '/V1/Transcribe/?x=1', 'transcribe'],
    ['POST', 'http://api.example.com/v1/transcribe', 'transcribe'],
    ['POST', 'ftp://x/api/v1/transcribe', 'transcribe'],
    ['POST', '/v1/transcribe#x', 'transcribe'],
    ['POST', '/v1/jobs?a=/v1/transcribe', undefined],
    ['POST', '/v1/%74ranscribe', undefined],
    ['POST', '//v1/transcribe', undefined],
    ['GET', '/health?from=probe', 'health'],
    ['GET', 'ftp://x/health', 'health'],
    ['GET', 'ftp://x/api/v1/usage', 'usage'],
    ['GET', 'ftp://health/v1/usage', 'usage'],
  ])('%s %s', async (method, target, route) => {
    expect(await routeOf(method, target)).toBe(route);
    if (route === undefined) expect(kind?.transcribe ?? false).toBe(false);
    else expect(kind).toEqual({ transcribe: route === 'transcribe', counted: route !== 'health' });
  });
});
