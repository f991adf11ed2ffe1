import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { GATEWAY_CONFIG } from '../config';
import { ErrorFilter } from '../http/error.filter';
import { DashboardController } from './dashboard.controller';

const SCRIPT = 'console.log("currawong");'.repeat(20);
const PAGE =
  '<!doctype html><meta name="currawong" content="{}" /><title>Currawong</title><div id="root"></div>';

let folder: string;
const apps: INestApplication[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  rmSync(folder, { recursive: true });
});

function build(): void {
  mkdirSync(join(folder, 'dist', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'dist', 'index.html'), PAGE);
  writeFileSync(join(folder, 'dist', 'mark.svg'), '<svg/>');
  const script = join(folder, 'dist', 'assets', 'index-abc123.js');
  writeFileSync(script, SCRIPT);
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT));
  writeFileSync(join(folder, 'dist', 'assets', 'font-abc123.woff2'), 'font');
  writeFileSync(join(folder, 'secret.js'), 'not of the dashboard');
}

type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>;
interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

async function served(config: Record<string, unknown> = {}): Promise<Ask> {
  @Module({
    controllers: [DashboardController],
    providers: [
      {
        provide: GATEWAY_CONFIG,
        useValue: {
          PORT: 8080,
          MAX_FILE_BYTES: 1_000_000,
          DASHBOARD_DIR: join(folder, 'dist'),
          ...config,
        },
      },
    ],
  })
  class Served {}
  const app = await NestFactory.create(Served, new ExpressAdapter(), { logger: false, bodyParser: false });
  app.useGlobalFilters(new ErrorFilter());
  apps.push(app);
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as http.Server).address() as AddressInfo;
  // Not fetch: it would resolve the dots of a path, follow redirects and unpack what comes.
  return (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', path, headers, method }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      });
      request.on('error', reject);
      request.end();
    });
}

const text = (answer: Answer) => answer.body.toString();
const detail = (answer: Answer) => (JSON.parse(text(answer)) as { detail: string }).detail;

describe('GET /', () => {
  it('leads browsers to the dashboard', async () => {
    const ask = await served();
    const answer = await ask('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([answer.status, answer.headers.location]).toEqual([302, '/dashboard/']);
    expect(answer.headers.vary).toBe('Accept');
  });

  it.each(['*/*', 'application/json'])('is nothing for a program that accepts %s', async (accept) => {
    const ask = await served();
    const answer = await ask('/', { Accept: accept });
    expect([answer.status, detail(answer)]).toEqual([404, 'Not found']);
  });
});

describe('the page', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/jobs/0193?status=failed', '/dashboard/sign-in'])(
    'is served at %s and asked for again each time',
    async (path) => {
      build();
      const answer = await (await served())(path);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(text(answer)).toContain('<div id="root"></div>');
    },
  );

  it('says what the installation allows', async () => {
    build();
    const answer = await (await served())('/dashboard/');
    expect(text(answer)).toContain('content="{&quot;maxFileBytes&quot;:1000000}"');
  });

  it('allows nothing inline, nothing from elsewhere and no frame', async () => {
    build();
    const { headers } = await (await served())('/dashboard/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; media-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('microphone=()'),
    });
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  it('is bound to https where that is how browsers reach it', async () => {
    build();
    const ask = await served({ PUBLIC_URL: 'https://api.example.com' });
    expect((await ask('/dashboard/')).headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('is not sent again while it is the same', async () => {
    build();
    const ask = await served();
    const headers = { 'Accept-Encoding': 'br' };
    const etag = (await ask('/dashboard/', headers)).headers.etag!;
    const again = await ask('/dashboard/jobs', { ...headers, 'If-None-Match': etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const unpacked = await ask('/dashboard/', { 'If-None-Match': etag });
    expect(unpacked.status).toBe(200);
  });
});

describe('files', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
  ])('to a client that takes %s go as %s', async (accepted, encoding, unpack) => {
    build();
    const ask = await served();
    const answer = await ask('/dashboard/assets/index-abc123.js', { 'Accept-Encoding': accepted });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.vary).toBe('Accept-Encoding');
    expect(unpack(answer.body).toString()).toBe(SCRIPT);
  });

  it('whose names change with their contents are kept for ever, others are not', async () => {
    build();
    const ask = await served();
    const control = async (path: string) => (await ask(path)).headers['cache-control'];
    expect(await control('/dashboard/assets/font-abc123.woff2')).toBe('public, max-age=31536000, immutable');
    expect(await control('/dashboard/mark.svg')).toBe('no-cache');
  });

  it('answer HEAD without a body', async () => {
    build();
    const answer = await (await served())('/dashboard/mark.svg', {}, 'HEAD');
    expect([answer.status, answer.headers['content-length'], answer.body.length]).toEqual([200, '6', 0]);
  });

  it.each([
    '/dashboard/assets/index-gone.js',
    '/dashboard/assets/',
    '/dashboard/missing.png',
    '/dashboard/assets/index-abc123.js.br',
    '/dashboard/../secret.js',
    '/dashboard/%2e%2e/secret.js',
    '/dashboard/..%2fsecret.js',
  ])('that are not there are not found: %s', async (path) => {
    build();
    const answer = await (await served())(path);
    expect([answer.status, detail(answer)]).toEqual([404, 'Not found']);
  });
});

describe('without a build', () => {
  it('says so, and serves it once it is there', async () => {
    const ask = await served();
    const answer = await ask('/dashboard/');
    expect([answer.status, detail(answer)]).toEqual([
      503,
      'The dashboard is not part of this installation: build it, then try again. The API works without it.',
    ]);
    build();
    expect((await ask('/dashboard/')).status).toBe(200);
  });
});
