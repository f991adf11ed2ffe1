import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transformFileSync } from '@swc/core';
import { startOtlpCollector, type OtlpCollector } from './otlp-collector';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const root = resolve(__dirname, '../../..');

/**
 * Two nested spans, the inner one with an outgoing HTTP request; prints the ids that log lines would carry and ends
 * as a service does.
 */
const PROGRAM = `
  const http = require('node:http');
  const { inSpan, currentTraceIds, currentTraceHeaders } = require('./trace-context.js');
  const get = (url) => new Promise((done, fail) => http.get(url, (answer) => answer.resume().on('end', done)).on('error', fail));
  inSpan('outer', {}, () => inSpan('inner', { attributes: { job: 'job_1' } }, async () => {
    if (process.env.TARGET) await get(process.env.TARGET);
    if (process.env.BREAKS) await inSpan('breaking', {}, () => Promise.reject(new Error('broken'))).catch(() => {});
    console.log(JSON.stringify({ ...currentTraceIds(), headers: currentTraceHeaders() }));
  })).then(() => require('./tracing.js').startTracing().shutdown()).then(() => process.exit());
`;

describe('a process started with the register file', () => {
  let collector: OtlpCollector;
  let folder: string;

  const run = async (environment: Record<string, string>) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--require', join(folder, 'register.js'), join(folder, 'program.js')],
      { env: { PATH: process.env['PATH'], ...environment } },
    );
    return JSON.parse(stdout) as { traceId: string; spanId: string; headers: Record<string, string> };
  };

  beforeAll(async () => {
    collector = await startOtlpCollector();
    // Below node_modules, so that the compiled files find their packages.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(join(root, 'node_modules/.cache/telemetry-spec-'));
    for (const name of ['register', 'tracing', 'trace-context', 'error-traces']) {
      const { code } = transformFileSync(join(__dirname, `${name}.ts`), { configFile: join(root, '.swcrc') });
      writeFileSync(join(folder, `${name}.js`), code);
    }
    writeFileSync(join(folder, 'program.js'), PROGRAM);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await collector.close();
  });

  it('exports its spans, nested, under the name of its service, before it ends', async () => {
    const { traceId, spanId } = await run({
      OTEL_SERVICE_NAME: 'jobs',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      TARGET: `${collector.endpoint}/elsewhere`,
    });
    const inner = await collector.waitFor(({ name }) => name === 'inner');
    const outer = await collector.waitFor(({ name }) => name === 'outer');
    const request = await collector.waitFor(({ parentSpanId }) => parentSpanId === inner.spanId);
    expect(inner).toMatchObject({ service: 'jobs', traceId, spanId, parentSpanId: outer.spanId });
    expect(inner.attributes).toEqual({ job: 'job_1' });
    expect(outer).toMatchObject({ traceId, parentSpanId: undefined });
    expect(request).toMatchObject({ traceId, name: 'GET' });
  });

  it('of the traces that are not sampled exports those with an error, whole, and no other', async () => {
    const environment = {
      OTEL_SERVICE_NAME: 'unsampled',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER_ARG: '0',
    };
    const good = await run(environment);
    const bad = await run({ ...environment, BREAKS: 'yes' });
    expect([good.headers, bad.headers].map(({ traceparent }) => traceparent?.slice(-2))).toEqual([
      '00',
      '00',
    ]);
    await collector.waitFor(({ name, service }) => service === 'unsampled' && name === 'outer');
    const exported = collector.spans.filter(({ service }) => service === 'unsampled');
    expect(exported.map(({ name }) => name).sort()).toEqual(['breaking', 'inner', 'outer']);
    expect(new Set(exported.map(({ traceId }) => traceId))).toEqual(new Set([bad.traceId]));
  });

  it('sends the headers along that the collector wants', async () => {
    await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=currawong',
    });
    expect(collector.headers.at(-1)).toMatchObject({ 'x-tenant': 'currawong' });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /must be http\/protobuf or http\/json, not "grpc"/],
    ['OTEL_TRACES_SAMPLER_ARG', '10%', /must be a share from 0 to 1/],
  ])('does not start with %s=%s, and says why', async (variable, value, sentence) => {
    const started = run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, [variable]: value });
    await expect(started).rejects.toThrow(sentence);
  });

  it('has trace ids for its log lines and messages also where nothing is exported', async () => {
    const { traceId, spanId, headers } = await run({});
    expect(headers).toEqual({ traceparent: `00-${traceId}-${spanId}-00` });
    expect(traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
  });

  it('ends within seconds when the collector does not answer', async () => {
    const startedAt = performance.now();
    await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });
});
