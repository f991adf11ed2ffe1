import { startOtlpCollector, type OtlpCollector } from '@currawong/telemetry/otlp-collector';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

jest.setTimeout(60_000);

let collector: OtlpCollector;
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  collector = await startOtlpCollector();
  platform = await startPlatform({
    env: {
      RECOGNIZER: 'null',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  });
  customer = await newCustomer(platform, { creditAud: '1' });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await collector?.close();
});

it('one trace leads from the upload through all four services to the result', async () => {
  const id = await customer.submit({ name: 'talk.wav', bytes: wav(3) });
  await customer.finished(id);
  const upload = await collector.waitFor(
    (span) => span.service === 'gateway' && span.name === 'POST /api/v1/transcribe',
  );
  expect(upload.parentSpanId).toBeUndefined();
  const inTrace = (service: string, name: RegExp) =>
    collector.waitFor(
      (span) => span.traceId === upload.traceId && span.service === service && name.test(span.name),
    );
  await inTrace('jobs', /jobs\.submit/);
  await inTrace('billing', /billing\.hold_for_job/);
  await inTrace('worker', /work-speech/);
  await inTrace('jobs', /jobs-results/);
  await inTrace('billing', /billing\.capture_for_job/);
  // Each span but the first hangs below another one of the same trace, which may be exported after it.
  for (const { parentSpanId } of collector.spans.filter((span) => span.traceId === upload.traceId))
    if (parentSpanId)
      await collector.waitFor((span) => span.traceId === upload.traceId && span.spanId === parentSpanId);
});

it('log lines carry the trace and the job, and no key', async () => {
  const id = await customer.submit({ name: 'talk.wav', bytes: wav(3) });
  await customer.finished(id);
  const lines = ['gateway', 'jobs', 'billing', 'worker'].flatMap((name) =>
    platform.logs(name).trim().split('\n'),
  );
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), service: expect.any(String) });
  const ofThisJob = lines.map((line) => JSON.parse(line)).filter((line) => line.job_id === id);
  expect(new Set(ofThisJob.map((line) => line.service))).toEqual(new Set(['jobs', 'worker']));
  expect(new Set(ofThisJob.map((line) => line.trace_id)).size).toBe(1);
  expect(lines.join('\n')).not.toContain(customer.apiKey);
});

it('every service tells its metrics and its health on a port of its own', async () => {
  for (const [name, url] of Object.entries(platform.metricsUrls)) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('process_resident_memory_bytes');
    expect(metrics).toContain('currawong_');
    expect([
      name,
      (await fetch(`${url}/health/ready`)).status,
      (await fetch(`${url}/health/live`)).status,
    ]).toEqual([name, 200, 200]);
  }
});
