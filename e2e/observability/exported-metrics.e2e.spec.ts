import { startOtlpCollector, type OtlpCollector } from '@currawong/telemetry/otlp-collector';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCustomer } from '../client';
import { wav } from '../recordings';
import { panelsOf, readDashboards, withoutVariables } from './dashboards';
import { describeWithPrometheus, PrometheusServer, type Labels } from './prometheus-server';
import { isAlert, readRules } from './rules';
import { readRunbooks, runbookQueries } from './runbooks';
import { unknownNames } from './unknown-names';

jest.setTimeout(60_000);

const rules = readRules();
const panels = [...readDashboards()].flatMap(([file, dashboard]) =>
  panelsOf(dashboard).map((panel) => ({
    name: `${file}: ${panel.title}`,
    queries: panel.targets.map(({ expr }) => withoutVariables(expr)),
  })),
);
const marks = [...readDashboards().values()].flatMap(({ annotations }) =>
  annotations.list.map(({ expr }) => withoutVariables(String(expr))),
);

describeWithPrometheus('what the running product exports', () => {
  let collector: OtlpCollector;
  let platform: TestPlatform;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    collector = await startOtlpCollector();
    platform = await startPlatform({
      services: ['billing', 'jobs', 'worker', 'gateway', 'webhooks'],
      env: {
        RECOGNIZER: 'null',
        NULL_ENGINE_SLEEP_FACTOR: '0.02',
        CHUNK_SECONDS: '60',
        WORK_LEASE_SECONDS: '3',
        RETRY_DELAY_SECONDS: '0.2',
        SWEEP_INTERVAL_SECONDS: '0.2',
        RECONCILE_INTERVAL_SECONDS: '1',
        RATE_LIMIT_TRANSCRIBE_PER_MINUTE: '12',
        PRICE_PER_MINUTE_MICRO_AUD: '1000000',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
    });
    prometheus = await PrometheusServer.start(platform.metricsUrls);
    await lifeOfAPlatform(platform);
  }, 300_000);

  afterAll(async () => {
    await prometheus?.stop();
    await platform?.stop();
    await collector?.close();
  });

  const known = new Map<string, Promise<Labels[]>>();
  const seriesOf = (metric: string) => {
    if (!known.has(metric)) known.set(metric, prometheus.series(metric));
    return known.get(metric)!;
  };

  it.each(rules.map((rule) => [isAlert(rule) ? rule.alert : rule.record, rule.expr]))(
    'the rule %s names nothing else',
    async (_, expr) => {
      expect(await unknownNames(expr, seriesOf)).toEqual([]);
    },
  );

  it.each(panels)('the panel $name names nothing else', async ({ queries }) => {
    for (const expr of queries) expect(await unknownNames(expr, seriesOf)).toEqual([]);
  });

  it.each([...readRunbooks()])('the runbook %s asks for nothing else', async (_, page) => {
    for (const expr of runbookQueries(page)) {
      expect(await unknownNames(expr, seriesOf)).toEqual([]);
      await prometheus.query(expr);
    }
  });

  it('a name that nobody exports is noticed here', async () => {
    const [{ queries }] = panels as [(typeof panels)[number]];
    const misspelt = queries[0]!.replace(/currawong_\w+/, (name) => `${name}_seconds_total`);
    expect(await unknownNames(misspelt, seriesOf)).not.toEqual([]);
  });

  it('every rule is evaluated without an error', async () => {
    const evaluated = await prometheus.rules();
    expect(evaluated.map(({ name }) => name).sort()).toEqual(
      rules.map((rule) => (isAlert(rule) ? rule.alert : rule.record)).sort(),
    );
    expect(evaluated.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  it.each(panels)('the panel $name shows something', async ({ queries }) => {
    for (const expr of queries) {
      const values = (await prometheus.query(expr)).map(({ value }) => value);
      expect({ expr, values: values.filter(Number.isFinite) }).not.toEqual({ expr, values: [] });
    }
  });

  it('the marks of new versions can be asked for', async () => {
    for (const expr of marks) {
      expect(await unknownNames(expr, seriesOf)).toEqual([]);
      expect((await prometheus.query(expr)).length).toBeGreaterThan(0);
    }
  });

  it('exemplars lead from a histogram to traces that were exported', async () => {
    const found = await prometheus.exemplars('currawong_receipt_seconds_bucket');
    const traces = new Set(collector.spans.map(({ traceId }) => traceId));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ trace_id }) => !traces.has(trace_id!))).toEqual([]);
  });
});

/** A day in the life of a platform within a minute: work well done, failures, refusals, a lost worker and billing away. */
async function lifeOfAPlatform(platform: TestPlatform): Promise<void> {
  const customer = await newCustomer(platform, { creditAud: '10' });
  const tester = await newCustomer(platform, { mode: 'test' });
  const poor = await newCustomer(platform, { creditAud: '0.6' });
  const talk = { name: 'talk.wav', bytes: wav(5, 440) };

  await tester.finished(await tester.submit(talk));
  await customer.finished(await customer.submit(talk));
  // Long enough to be cut, recognized in pieces and put together.
  const hearing = { name: 'hearing.wav', bytes: wav(150, 440) };
  await customer.finished(await customer.submit(hearing));
  expect((await poor.transcribe(hearing)).status).toBe(402);
  expect((await customer.transcribe({ name: 'words.wav', bytes: Buffer.from('no sound') })).status).toBe(400);
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await poor.transcribe(hearing)).status),
  );
  expect(statuses).toContain(429);

  const interrupted = await customer.submit({ name: 'minute.wav', bytes: wav(59, 440) });
  await customer.until(interrupted, (job) => job.status === 'processing');
  platform.kill('worker', 'SIGKILL');
  await customer.finished(interrupted, 60);

  await leaveInTheMiddle(customer.baseUrl, customer.apiKey!);

  await platform.halt('billing');
  for (let asked = 0; asked < 3; asked++) {
    expect((await customer.get('/api/v1/credit')).status).toBeGreaterThanOrEqual(500);
    // A counter that appears is seen to rise from its second value on.
    await sleep(1_500);
  }
  await platform.resume('billing');
  await customer.finished(await customer.submit(talk));
  // Two rounds of comparison, scrapes and evaluations.
  await sleep(5_000);
}

/** A client that goes away while its upload is arriving: status 499. */
async function leaveInTheMiddle(baseUrl: string, apiKey: string): Promise<void> {
  const sending = request(`${baseUrl}/api/v1/transcribe`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'multipart/form-data; boundary=x' },
  });
  sending.on('error', () => undefined);
  sending.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n');
  sending.write(wav(1));
  await sleep(500);
  sending.destroy();
}
