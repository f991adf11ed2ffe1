import { startOtlpCollector, type OtlpCollector } from '@currawong/telemetry/otlp-collector';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCustomer, type Client } from '../client';
import { describeWithPrometheus, PrometheusServer } from '../observability/prometheus-server';
import { wav } from '../recordings';
import { documentedMetrics } from './documented';
import { Exposition } from './exposition';

jest.setTimeout(90_000);

let collector: OtlpCollector;
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  collector = await startOtlpCollector();
  platform = await startPlatform({
    services: ['billing', 'jobs', 'worker', 'gateway', 'webhooks'],
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: '0.05',
      CHUNK_SECONDS: '60',
      WORK_LEASE_SECONDS: '6',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
      RECONCILE_INTERVAL_SECONDS: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  });
  customer = await newCustomer(platform, { creditAud: '5' });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await collector?.close();
});

const scrape = (service: string) => Exposition.of(platform.metricsUrls[service]!);

interface Change {
  service: string;
  name: string;
  labels?: Record<string, string>;
  /** by exactly so much, or by at least so much */
  by?: number;
  atLeast?: number;
}

/** Does `work`, and expects the metrics to have changed by so much soon after. */
async function expectChanges(changes: Change[], work: () => Promise<unknown>): Promise<void> {
  const services = [...new Set(changes.map(({ service }) => service))];
  const values = async () => {
    const pages = new Map(
      await Promise.all(services.map(async (name) => [name, await scrape(name)] as const)),
    );
    return changes.map(({ service, name, labels }) => pages.get(service)!.value(name, labels));
  };
  const before = await values();
  await work();
  const missing = async () => {
    const after = await values();
    return changes
      .map((change, index) => ({ ...change, was: after[index]! - before[index]! }))
      .filter(({ by, atLeast, was }) => (by === undefined ? was < (atLeast ?? 0) : was !== by));
  };
  for (const deadline = Date.now() + 10_000; Date.now() < deadline && (await missing()).length > 0;)
    await sleep(200);
  expect(await missing()).toEqual([]);
}

it('a short recording can be followed from its upload to its charge', async () => {
  const bytes = wav(3);
  await expectChanges(
    [
      { service: 'gateway', name: 'currawong_upload_bytes_total', atLeast: bytes.length },
      { service: 'gateway', name: 'currawong_receipt_seconds_count', by: 1 },
      {
        service: 'gateway',
        name: 'http_server_request_duration_seconds_count',
        labels: {
          http_request_method: 'POST',
          http_route: '/api/v1/transcribe',
          http_response_status_code: '200',
        },
        by: 1,
      },
      { service: 'jobs', name: 'currawong_jobs_accepted_total', labels: { mode: 'live' }, by: 1 },
      { service: 'jobs', name: 'currawong_stage_wait_seconds_count', labels: { stage: 'whole' }, by: 1 },
      {
        service: 'jobs',
        name: 'currawong_stage_seconds_count',
        labels: { stage: 'whole', outcome: 'done' },
        by: 1,
      },
      {
        service: 'jobs',
        name: 'currawong_jobs_ended_total',
        labels: { outcome: 'completed', mode: 'live' },
        by: 1,
      },
      { service: 'jobs', name: 'currawong_job_seconds_count', by: 1 },
      { service: 'jobs', name: 'currawong_job_completion_ratio_count', by: 1 },
      // Three seconds count as a minute, so the ratio is far below what it took.
      { service: 'jobs', name: 'currawong_job_completion_ratio_bucket', labels: { le: '0.25' }, by: 1 },
      {
        service: 'worker',
        name: 'currawong_recognition_audio_seconds_total',
        labels: { engine: 'null' },
        by: 3,
      },
      {
        service: 'worker',
        name: 'currawong_recognition_seconds_total',
        labels: { engine: 'null' },
        atLeast: 0.149,
      },
      { service: 'worker', name: 'currawong_real_time_factor_count', labels: { engine: 'null' }, by: 1 },
      ...['fetch', 'decode', 'recognize'].map((step) => ({
        ...{ service: 'worker', name: 'currawong_worker_step_seconds_count', labels: { step }, by: 1 },
      })),
      // The result and the voices; those of the chunk, and the speakers of the recording.
      ...['store', 'diarize'].map((step) => ({
        ...{ service: 'worker', name: 'currawong_worker_step_seconds_count', labels: { step }, by: 2 },
      })),
      {
        service: 'billing',
        name: 'currawong_billing_transactions_total',
        labels: { kind: 'capture' },
        by: 1,
      },
      {
        service: 'worker',
        name: 'currawong_message_handler_seconds_count',
        labels: { handler: 'work-speech', outcome: 'done' },
        by: 1,
      },
    ],
    async () => customer.finished(await customer.submit({ name: 'talk.wav', bytes })),
  );
});

it('a long one is counted piece by piece, and is the backlog while it is at work', async () => {
  const done = (stage: string, by: { by: number } | { atLeast: number }) =>
    ['currawong_stage_wait_seconds_count', 'currawong_stage_seconds_count'].map((name) => ({
      ...{ service: 'jobs', name, labels: { stage }, ...by },
    }));
  let speech = 0;
  await expectChanges(
    [...done('prepare', { by: 1 }), ...done('recognize', { atLeast: 3 }), ...done('assemble', { by: 1 })],
    async () => {
      const id = await customer.submit({ name: 'long.wav', bytes: wav(170) });
      // What is shown may be five seconds old; the recognition of three chunks takes longer.
      const look = async () => {
        const page = await scrape('jobs');
        speech = Math.max(speech, page.value('currawong_backlog_audio_seconds', { duty: 'speech' }));
      };
      for (let over = false; !over; await sleep(300)) {
        await look();
        over = (await customer.job(id)).status === 'completed';
      }
    },
  );
  expect(speech).toBeGreaterThanOrEqual(50);
  expect(speech).toBeLessThanOrEqual(170);
});

it('a worker that dies at its work is a lost lease and a failed attempt', async () => {
  await expectChanges(
    [
      { service: 'jobs', name: 'currawong_work_rescues_total', labels: { kind: 'lost_lease' }, by: 1 },
      // The retry is sent by the sweep of unclaimed work, and is none.
      { service: 'jobs', name: 'currawong_work_rescues_total', labels: { kind: 'unclaimed' }, by: 0 },
      {
        service: 'jobs',
        name: 'currawong_attempts_failed_total',
        labels: { stage: 'whole', reason: 'lost' },
        by: 1,
      },
      {
        service: 'jobs',
        name: 'currawong_stage_wait_seconds_count',
        labels: { stage: 'whole' },
        by: 2,
      },
      { service: 'jobs', name: 'currawong_jobs_ended_total', labels: { outcome: 'completed' }, by: 1 },
    ],
    async () => {
      const id = await customer.submit({ name: 'minute.wav', bytes: wav(59) });
      await customer.until(id, ({ status }) => status === 'processing');
      platform.kill('worker');
      await platform.restart('worker');
      await customer.finished(id);
    },
  );
});

it('an upload that is refused is read, and gets no receipt', async () => {
  const bytes = Buffer.concat([Buffer.from('this is no sound '), Buffer.alloc(10_000, 'a')]);
  await expectChanges(
    [
      { service: 'gateway', name: 'currawong_upload_bytes_total', atLeast: 1 },
      { service: 'gateway', name: 'currawong_receipt_seconds_count', by: 0 },
      { service: 'jobs', name: 'currawong_jobs_accepted_total', by: 0 },
      {
        service: 'gateway',
        name: 'http_server_request_duration_seconds_count',
        labels: { http_route: '/api/v1/transcribe', http_response_status_code: '400' },
        by: 1,
      },
    ],
    async () => expect((await customer.transcribe({ name: 'talk.wav', bytes })).status).toBe(400),
  );
});

describe('docs/metrics.md', () => {
  const documented = documentedMetrics();
  const ours = (name: string) => /^(currawong|http)_/.test(name);
  let pages: Map<string, Exposition>;

  beforeAll(async () => {
    pages = new Map(
      await Promise.all(
        Object.keys(platform.metricsUrls).map(async (name) => [name, await scrape(name)] as const),
      ),
    );
  });

  it('names each metric once', () => {
    const names = documented.map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.length).toBeGreaterThan(40);
  });

  it('names all that are exported', () => {
    const exported = [...pages.values()].flatMap((page) => [...page.metrics.keys()]).filter(ours);
    const names = documented.map(({ name }) => name);
    expect([...new Set(exported)].filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(documented)('says of $name what it is, and who exports it', ({ name, type, labels, exporters }) => {
    for (const service of exporters)
      expect([service, pages.get(service)!.metrics.get(name)?.type]).toEqual([service, type]);
    const showing = [...pages].filter(([, page]) => (page.metrics.get(name)?.series.length ?? 0) > 0);
    expect(showing.map(([service]) => service).filter((service) => !exporters.includes(service))).toEqual([]);
    for (const [, page] of showing) expect([...page.metrics.get(name)!.labels].sort()).toEqual(labels);
  });

  it('leaves no label to a stranger: none has many values', () => {
    const values = new Map<string, Set<string>>();
    for (const page of pages.values())
      for (const [metric, { series }] of page.metrics)
        for (const { labels } of ours(metric) ? series : [])
          for (const [label, value] of Object.entries(labels))
            values.set(label, (values.get(label) ?? new Set()).add(value));
    const many = [...values].filter(([, found]) => found.size > 100).map(([label]) => label);
    expect(many).toEqual([]);
    const all = [...values.values()].flatMap((found) => [...found]).join('\n');
    expect(all).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|@|\d+\.\d+\.\d+\.\d+/);
  });
});

describeWithPrometheus('a real Prometheus', () => {
  let prometheus: PrometheusServer;
  beforeAll(async () => {
    prometheus = await PrometheusServer.start(platform.metricsUrls);
    await customer.finished(await customer.submit({ name: 'talk.wav', bytes: wav(3) }));
  }, 60_000);
  afterAll(() => prometheus?.stop());

  async function eventually<T>(ask: () => Promise<T[]>): Promise<T[]> {
    for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(300)) {
      const found = await ask();
      if (found.length > 0) return found;
    }
    return [];
  }

  it('reads every service without an error', async () => {
    const read = () => prometheus.query('up == 1 and scrape_samples_scraped > 100');
    const services = Object.keys(platform.metricsUrls);
    const up = await eventually(async () => {
      const found = await read();
      return found.length < services.length ? [] : found;
    });
    expect(up.map(({ labels }) => labels['container']).sort()).toEqual(services.sort());
    const counted = await eventually(() => prometheus.query('currawong_jobs_accepted_total{mode="live"}'));
    expect(counted).toHaveLength(1);
  });

  it.each([
    'http_server_request_duration_seconds_bucket',
    'currawong_receipt_seconds_bucket',
    'currawong_message_handler_seconds_bucket',
    'currawong_stage_seconds_bucket',
    'currawong_job_seconds_bucket',
  ])('gives traces that were exported beside %s', async (bucket) => {
    const exemplars = await eventually(() => prometheus.exemplars(bucket));
    const ids = exemplars.map((labels) => labels['trace_id']);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) await collector.waitFor(({ traceId }) => traceId === id);
  });
});
