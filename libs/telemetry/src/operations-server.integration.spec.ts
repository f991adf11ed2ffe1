import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { Gauge, register } from 'prom-client';
import { createLogger } from './logger';
import { startOperationsServer, type OperationsServer, type Readiness } from './operations-server';
import { requestTelemetry } from './request-telemetry';
import { runWithTraceHeaders } from './trace-context';
import { TracedHistogram } from './traced-histogram';
import { startTracing } from './tracing';

describe('the operations server', () => {
  let operations: OperationsServer;
  let ready: () => Promise<Readiness>;
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${operations.port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const scrape = async (accept: string) => {
    const response = await fetch(`http://127.0.0.1:${operations.port}/metrics`, { headers: { accept } });
    return { type: response.headers.get('content-type'), text: await response.text() };
  };

  beforeAll(async () => {
    startTracing('jobs', { environment: {}, exporter: new InMemorySpanExporter() });
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

  const PROMETHEUS = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';

  it.each([
    ['what Prometheus asks for', PROMETHEUS, true],
    ['anything', '*/*', false],
    ['text rather than OpenMetrics', 'text/plain, application/openmetrics-text;q=0.2', false],
    ['no OpenMetrics', 'application/openmetrics-text;q=0', false],
    ['nothing', '', false],
  ])('of a scraper that wants %s chooses the form', async (_what, accept, asOpenMetrics) => {
    const { type, text } = await scrape(accept);
    expect(type).toMatch(
      asOpenMetrics ? /^application\/openmetrics-text; version=1/ : /^text\/plain; version=0/,
    );
    expect(text.endsWith('# EOF\n')).toBe(asOpenMetrics);
    // OpenMetrics declares a counter without its suffix; the series has it in both.
    expect(text).toMatch(
      asOpenMetrics ? /^# TYPE process_cpu_seconds counter$/m : /^# TYPE process_cpu_seconds_total counter$/m,
    );
    expect(text).toMatch(/^process_cpu_seconds_total\{/m);
  });

  it('gives each of many scrapers at once its own form', async () => {
    const accepts = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? PROMETHEUS : '*/*'));
    const scraped = await Promise.all(accepts.map(scrape));
    scraped.forEach(({ type, text }, index) => {
      expect(type).toContain(index % 2 === 0 ? 'openmetrics' : 'text/plain');
      expect(text.endsWith('# EOF\n')).toBe(index % 2 === 0);
      expect(text.match(/^process_cpu_seconds_total\{/gm)).toHaveLength(1);
    });
  });

  it('names a trace beside the bucket that it fell into, where it is sampled', async () => {
    const seconds = new TracedHistogram({
      name: 'currawong_spec_seconds',
      help: 'Of this test',
      labelNames: ['step'],
      buckets: [1, 10],
    });
    const sampled = 'a'.repeat(32);
    const inTrace = (traceId: string, flags: string, work: () => void) =>
      runWithTraceHeaders({ traceparent: `00-${traceId}-${'b'.repeat(16)}-${flags}` }, 'work', {}, async () =>
        work(),
      );
    await inTrace(sampled, '01', () => seconds.observe({ step: 'one' }, 0.5));
    await inTrace('c'.repeat(32), '00', () => seconds.observe({ step: 'two' }, 5));
    const { text } = await scrape(PROMETHEUS);
    expect(text).toMatch(
      new RegExp(
        `^currawong_spec_seconds_bucket\\{le="1",service="jobs",step="one"\\} 1 # \\{trace_id="${sampled}"\\} 0.5 \\d+`,
        'm',
      ),
    );
    expect(text).toMatch(/^currawong_spec_seconds_bucket\{le="10",service="jobs",step="two"\} 1$/m);
    expect((await scrape('*/*')).text).not.toContain('trace_id');
  });

  it('says which build runs', async () => {
    expect((await get('/metrics')).text).toMatch(
      /^currawong_build_info\{version="\d+\.\d+\.\d+",revision="unknown",service="jobs"\} 1$/m,
    );
  });

  it('answers 500 with the reason where a metric cannot be collected, and goes on', async () => {
    const broken = new Gauge({
      name: 'currawong_spec_broken',
      help: 'Of this test',
      collect: () => Promise.reject(new Error('no such table')),
    });
    try {
      const { status, text } = await get('/metrics');
      expect([status, text]).toEqual([500, '{"detail":"no such table"}']);
    } finally {
      register.removeSingleMetric(broken['name' as never]);
    }
    expect((await get('/metrics')).status).toBe(200);
  });

  it('shows whether work can be taken', async () => {
    const shown = async () => /^currawong_ready\{.*\} (\d)$/m.exec((await get('/metrics')).text)?.[1];
    expect(await shown()).toBe('1');
    ready = () => Promise.resolve({ ok: false });
    expect(await shown()).toBe('0');
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
        /^http_server_request_duration_seconds_count\{service="jobs",http_request_method="GET",http_route="\/api\/v1\/jobs\/:job_id",http_response_status_code="200"\} 1$/m,
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
      expect((await get('/metrics')).text).toMatch(
        /^http_server_request_duration_seconds_count\{.*http_response_status_code="499".*\} 1$/m,
      );
    });

    it('count what is being answered now', async () => {
      const active = async () =>
        Number(/^http_server_active_requests\{.*\} (\d+)$/m.exec((await get('/metrics')).text)?.[1]);
      expect(await active()).toBe(0);
      const abort = new AbortController();
      const pending = request({ 'x-hang': '1' }, abort.signal);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await active()).toBe(1);
      abort.abort();
      await expect(pending).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await active()).toBe(0);
    });
  });
});
