import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from './logger';
import { startOperationsServer, type OperationsServer, type Readiness } from './operations-server';
import { requestTelemetry } from './request-telemetry';

describe('the operations server', () => {
  let operations: OperationsServer;
  let ready: () => Promise<Readiness>;
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${operations.port}${path}`);
    return { status: response.status, text: await response.text() };
  };

  beforeAll(async () => {
    operations = await startOperationsServer({
      port: 0,
      host: '127.0.0.1',
      service: 'jobs',
      ready: () => ready(),
    });
  });
  afterAll(() => operations.close());
  beforeEach(() => {
    ready = () => Promise.resolve({ ok: true });
  });

  it('shows the metrics of the process, marked with its service', async () => {
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/^process_cpu_seconds_total\{service="jobs"\} \d/m);
  });

  it('says that the process is alive whatever its readiness', async () => {
    ready = () => Promise.resolve({ ok: false });
    expect(await get('/health/live')).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  it.each<[string, () => Promise<Readiness>, number, object]>([
    ['work can be taken', () => Promise.resolve({ ok: true }), 200, { status: 'ok' }],
    [
      'it cannot',
      () => Promise.resolve({ ok: false, detail: 'no database' }),
      503,
      { detail: 'no database' },
    ],
    ['the check throws', () => Promise.reject(new Error('broken')), 503, { detail: 'broken' }],
    [
      'the check hangs',
      () => new Promise(() => undefined),
      503,
      { detail: 'the readiness check takes too long' },
    ],
  ])('answers about readiness when %s', async (_when, check, status, body) => {
    ready = check;
    expect(await get('/health/ready')).toEqual({ status, text: JSON.stringify(body) });
  });

  it('knows nothing else', async () => {
    expect((await get('/')).status).toBe(404);
  });

  describe('and the telemetry of requests', () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('gateway', {
      write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    logger.level = 'debug';
    let server: Server;

    beforeAll(async () => {
      const middleware = requestTelemetry(logger);
      server = createServer((request, response) => {
        // What Express leaves on a request once it has found the route.
        Object.assign(request, { baseUrl: '/api/v1', route: { path: '/jobs/:job_id' } });
        middleware(request, response, () => {
          if (request.headers['x-hang']) return;
          response.writeHead(Number(request.headers['x-status'] ?? 200)).end('ok');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)));
    beforeEach(() => lines.splice(0));
    const request = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/jobs/job-of-someone?token=hush`,
        {
          headers,
          ...(signal ? { signal } : {}),
        },
      );

    it('count by route and keep addresses and query strings to themselves', async () => {
      await (await request()).text();
      expect(lines).toMatchObject([
        { level: 'debug', method: 'GET', route: '/api/v1/jobs/:job_id', status: 200 },
      ]);
      expect(JSON.stringify(lines)).not.toMatch(/hush|someone/);
      const { text } = await get('/metrics');
      expect(text).toMatch(
        /^currawong_http_request_seconds_count\{.*route="\/api\/v1\/jobs\/:job_id".*\} 1$/m,
      );
    });

    it.each([
      ['402', 'info'],
      ['500', 'error'],
    ])('log status %s at level %s', async (status, level) => {
      await (await request({ 'x-status': status })).text();
      expect(lines).toMatchObject([{ level, status: Number(status) }]);
    });

    it('tell a client that went away from a success', async () => {
      const abort = new AbortController();
      const pending = request({ 'x-hang': '1' }, abort.signal);
      setTimeout(() => abort.abort(), 50);
      await expect(pending).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(lines).toMatchObject([{ status: 499 }]);
    });
  });
});
