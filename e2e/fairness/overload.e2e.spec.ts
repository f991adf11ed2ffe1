import { startPlatform, type TestPlatform } from '@currawong/testing';
import { readFileSync } from 'node:fs';
import { stretch } from '../../tools/faults/src/busy-machine';
import { newCustomer, type Client } from '../client';
import { Exposition } from '../metrics/exposition';
import { wav } from '../recordings';

const MOST_UPLOADS = 20;
const CROWD = 300;
/** What was let in is stored and entered, by a machine that is busy with the crowd itself. */
const ACCEPTED_WITHIN_SECONDS = 30;
/** From the first byte of a request to its refusal, by the gateway's clock: the crowd itself runs on this machine. */
const SENT_AWAY_WITHIN_SECONDS = 0.5;
const MEMORY_BYTES = 256 * 1024 ** 2;

let platform: TestPlatform;
let customer: Client & { accountId: string };

beforeAll(async () => {
  platform = await startPlatform({ env: { RECOGNIZER: 'null', MAX_UPLOADS: String(MOST_UPLOADS) } });
  customer = await newCustomer(platform, { creditAud: '100' });
}, 240_000);

afterAll(() => platform?.stop(), 120_000);

/** Memory of a service's process that is in use now, bytes. */
function residentBytes(service: string): number {
  const status = readFileSync(`/proc/${platform.pids()[service]}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
}

/** Of the gateway, so far. */
async function timeOfRefusals(): Promise<{ count: number; meanSeconds: number }> {
  const page = await Exposition.of(platform.metricsUrls['gateway']!);
  const of = (what: string) =>
    page.value(`http_server_request_duration_seconds_${what}`, { http_response_status_code: '503' });
  return { count: of('count'), meanSeconds: of('sum') / of('count') };
}

it('a crowd is answered at once: each is accepted or told when to come back, and what was accepted is kept', async () => {
  await customer.finished(await customer.submit({ name: 'first.wav', bytes: wav(1, 440) }));
  const before = residentBytes('gateway');
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, residentBytes('gateway'))), 100);
  const bytes = wav(3, 440);
  const answers = await Promise.all(
    Array.from({ length: CROWD }, async (_, n) => {
      const startedAt = performance.now();
      const answer = await customer.transcribe({ name: `${n}.wav`, bytes });
      return { ...answer, seconds: (performance.now() - startedAt) / 1_000 };
    }),
  );
  clearInterval(watching);
  const accepted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  const sentAway = await timeOfRefusals();
  const slowest = (of: typeof answers) => Math.max(...of.map(({ seconds }) => seconds));
  console.log(
    `${CROWD} uploads at once, ${MOST_UPLOADS} allowed: ${accepted.length} accepted, ${refused.length} sent away, ` +
      `each in ${(1_000 * sentAway.meanSeconds).toFixed(0)} ms; the ` +
      `slowest took ${slowest(accepted).toFixed(1)} s and ${slowest(refused).toFixed(1)} s; memory grew by ${((most - before) / 1024 ** 2).toFixed(0)} MiB`,
  );
  expect(sentAway.count).toBeGreaterThan(0);
  expect(sentAway.meanSeconds).toBeLessThan(SENT_AWAY_WITHIN_SECONDS * stretch());
  expect(slowest(accepted)).toBeLessThan(ACCEPTED_WITHIN_SECONDS);
  // A process that does not come to its turn sends more away than it has no places for.
  expect(accepted.length).toBeGreaterThanOrEqual(MOST_UPLOADS / stretch());
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers, body } of refused) {
    expect([429, 503]).toContain(status);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit-limit')).not.toBeNull();
    expect(body['detail']).toMatch(/ again\b/);
  }
  expect(most - before).toBeLessThan(MEMORY_BYTES);

  const ids = accepted.map(({ body }) => String(body['job_id']));
  for (const id of ids)
    expect(await customer.finished(id, 300)).toMatchObject({ status: 'completed', cost_aud: 0.001 });
  expect((await customer.get('/api/v1/credit')).body).toMatchObject({
    // Micro-AUD, and up to the cent.
    total_used_aud: (Math.ceil((333 + ids.length * 1_000) / 10_000) / 100).toFixed(2),
  });
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
}, 600_000);

it('afterwards everything is as it was', async () => {
  expect((await customer.get('/api/v1/health')).status).toBe(200);
  await customer.finished(await customer.submit({ name: 'after.wav', bytes: wav(1, 440) }));
  const metrics = await (await fetch(`${platform.metricsUrls['gateway']}/metrics`)).text();
  expect(metrics).toMatch(/^currawong_uploads_under_way(\{[^}]*\})? 0$/m);
  expect(metrics).toMatch(/^currawong_uploads_shed_total\{[^}]*reason="uploads"[^}]*\} [1-9]/m);
}, 60_000);

it('with jobs away a recording is refused at once, and taken again when it is back', async () => {
  await platform.halt('jobs');
  // The first ones find out; from then on nobody sends a recording for nothing.
  const asked = async () => {
    const startedAt = performance.now();
    const { status, headers } = await customer.transcribe({ name: 'a.wav', bytes: wav(1, 440) });
    return {
      status,
      retryAfter: headers.get('retry-after'),
      seconds: (performance.now() - startedAt) / 1_000,
    };
  };
  for (let n = 0; n < 3; n++) {
    const { status, retryAfter, seconds } = await asked();
    expect(status).toBeGreaterThanOrEqual(500);
    if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(10);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  const late = await asked();
  expect(late).toMatchObject({ status: 503 });
  expect(Number(late.retryAfter)).toBeGreaterThan(0);
  await platform.resume('jobs');
  await platform.waitReady('jobs');
  for (const end = Date.now() + 15_000; (await asked()).status !== 200;)
    if (Date.now() > end) throw new Error('no recording is taken 15 s after jobs is back');
}, 120_000);

it('an account with as many unfinished jobs as it may have is told so, and others are not', async () => {
  const other = await newCustomer(platform, { creditAud: '1' });
  const limited = await newCustomer(platform, { creditAud: '1' });
  await platform.admin('account', 'limits', limited.accountId, '--unfinished-jobs', '3');
  await platform.halt('worker');
  try {
    for (let n = 0; n < 3; n++) await limited.submit({ name: `${n}.wav`, bytes: wav(1, 440) });
    const fourth = await limited.transcribe({ name: 'fourth.wav', bytes: wav(1, 440) });
    expect(fourth.status).toBe(429);
    expect(fourth.body['detail']).toMatch(/^This account has 3 unfinished jobs/);
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0);
    await other.submit({ name: 'other.wav', bytes: wav(1, 440) });
  } finally {
    await platform.resume('worker');
  }
  const [job] = (await limited.get('/api/v1/jobs')).body['jobs'] as { id: string }[];
  await limited.finished(job!.id, 120);
  await limited.submit({ name: 'later.wav', bytes: wav(1, 440) });
}, 240_000);
