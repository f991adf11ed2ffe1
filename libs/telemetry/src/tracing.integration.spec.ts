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
    for (const name of ['register', 'tracing', 'trace-context']) {
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
