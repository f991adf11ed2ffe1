import {
  AddCredit,
  DescribeHolds,
  GetAccountSummary,
  ListOpenHolds,
  ShowJob,
  StartTopUp,
  type HoldView,
  type JobList,
  type Statement,
} from '@currawong/contracts';
import {
  objectStoreClient,
  startPlatform,
  startStripeServer,
  type StripeServer,
  type TestPlatform,
} from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { killInTurn, seededRandom } from './chaos';
import { Client, newCustomer } from './client';
import { Operator } from './operator';
import { wav } from './recordings';

// One account in a crowd: recordings cost so much that its money decides which of them are taken, at a price that
// leaves something to round in every charge.
const MICRO_AUD_PER_MINUTE = 12_345_679;
const FREE_MINUTES = 1;
const CROWD = 100;
const CROWDS = 4;
const CHAOS_SECONDS = 45;
const services = ['billing', 'jobs', 'gateway', 'gateway-2', 'worker'];

let platform: TestPlatform;
let customer: Client & { accountId: string };
let operator: Operator;
let stripe: StripeServer;

beforeAll(async () => {
  stripe = await startStripeServer();
  platform = await startPlatform({
    services,
    env: {
      ...stripe.environment,
      RECOGNIZER: 'null',
      WORKER_SLOTS: '2',
      PRICE_PER_MINUTE_MICRO_AUD: String(MICRO_AUD_PER_MINUTE),
      WORK_LEASE_SECONDS: '2',
      QUEUE_LEASE_SECONDS: '3',
      UPLOAD_LEASE_SECONDS: '5',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  customer = await newCustomer(platform, { freeMinutes: FREE_MINUTES, creditAud: '30' });
  operator = await Operator.join(platform);
}, 120_000);

afterAll(async () => {
  await operator?.leave();
  await platform?.stop();
  await stripe?.stop();
});

/** What one attempt at a submission came to; an attempt without an answer may have made a job or not. */
interface Attempt {
  name: string;
  seconds: number;
  outcome: 'accepted' | 'refused' | 'broken' | 'unanswered';
  jobId?: string;
}

const attempts: Attempt[] = [];
let addedMicroAud = 30_000_000;
let jobs: JobList['jobs'];
let statement: Statement;

it('a hundred at once, again and again, while services are killed: the balance is never below zero', async () => {
  const random = seededRandom('money');
  const chaos = killInTurn(platform, services, random, 1.5);
  const sampler = watchBalance();
  // Who is still trying by then is to come through.
  let isCalm = false;
  const calm = setTimeout(() => {
    isCalm = true;
    void chaos.stop();
  }, CHAOS_SECONDS * 1000);
  const enoughKilled = () => Object.values(chaos.killed).filter((times) => times > 0).length >= 3;
  try {
    for (let crowd = 0; crowd < CROWDS || !(enoughKilled() || isCalm); crowd++) {
      await Promise.all([
        ...Array.from({ length: CROWD }, (_, index) =>
          submit(`${crowd}-${index}`, 1 + Math.floor(random() * 6), random() < 0.5),
        ),
        ...Array.from({ length: 6 }, (_, index) =>
          addCredit(`${crowd}-${index}`, Math.floor(random() * 6e6) + 1),
        ),
        topUpByCard(),
      ]);
    }
    await chaos.stop();
    await platform.waitReady();
    await everythingHasEnded();
  } finally {
    clearTimeout(calm);
    await Promise.all([chaos.stop(), sampler.stop()]);
  }
  const { samples, lowest } = await sampler.stop();
  const count = (outcome: Attempt['outcome']) => attempts.filter((one) => one.outcome === outcome).length;
  process.stderr.write(
    `money: ${count('accepted')} accepted, ${count('refused')} refused, ${count('broken')} answered 5xx, ` +
      `${count('unanswered')} unanswered; killed ${JSON.stringify(chaos.killed)}; ${samples} samples, lowest ${lowest} micro-AUD\n`,
  );
  expect(lowest).toBeGreaterThanOrEqual(0);
  expect(samples).toBeGreaterThan(100);
  // Without these the rest would prove nothing.
  expect(count('accepted')).toBeGreaterThan(50);
  expect(count('refused')).toBeGreaterThan(10);
  expect(enoughKilled()).toBe(true);
}, 400_000);

it('what was accepted has ended, and what was refused has left nothing', async () => {
  jobs = await allJobs();
  expect(jobs.filter((job) => job.status !== 'completed' && job.status !== 'failed')).toEqual([]);
  const named = new Map(jobs.map((job) => [job.original_filename, job]));
  expect(named.size).toBe(jobs.length);
  const known = new Map(attempts.map((one) => [one.name, one]));
  for (const job of jobs)
    expect([job, known.get(job.original_filename)?.outcome]).not.toEqual([job, undefined]);
  for (const { name, outcome, jobId } of attempts) {
    if (outcome === 'accepted') expect([name, named.get(name)?.id]).toEqual([name, jobId]);
    if (outcome === 'refused' || outcome === 'broken') expect(named.get(name)).toBeUndefined();
  }
  expect(await strayObjects(new Set(jobs.map((job) => job.id)))).toEqual([]);
});

it('every completed job was charged once, at its price to the micro-AUD, and every failed one not at all', async () => {
  statement = await wholeStatement();
  const lines = Map.groupBy(
    statement.lines.filter((line) => line.kind === 'job'),
    (line) => line.job_id,
  );
  const holds = await allHolds(jobs.map((job) => job.id));
  const seconds = new Map(attempts.map((one) => [one.name, one.seconds]));
  for (const job of jobs) {
    const shown = (await operator.ask(ShowJob, { job_id: job.id })).job;
    const hold = holds.get(job.id);
    const told = { id: job.id, lines: lines.get(job.id) ?? [], hold };
    if (job.status === 'failed') {
      expect(told).toMatchObject({ lines: [] });
      expect([undefined, 'released']).toContain(hold?.state);
      expect(job.cost_aud ?? 0).toBe(0);
      continue;
    }
    const length = seconds.get(job.original_filename)!;
    expect(job.audio_duration_seconds).toBe(length);
    expect(told).toMatchObject({ lines: [{ audio_seconds: length }], hold: { state: 'captured' } });
    const [line] = told.lines;
    const paidSeconds = length + line!.free_seconds;
    const charge = Math.floor((paidSeconds * MICRO_AUD_PER_MINUTE + 30) / 60);
    expect([job.id, microAud(line!.amount_aud)]).toEqual([job.id, 0 - charge]);
    expect([job.id, Math.round(job.cost_aud! * 1e6)]).toEqual([job.id, charge]);
    expect([job.id, Number(shown['cost_micro_aud'])]).toEqual([job.id, charge]);
    expect(hold!.charged_micro_aud).toBe(charge);
  }
  const chargeable = new Set(jobs.filter((job) => job.status === 'completed').map((job) => job.id));
  expect([...lines.keys()].filter((id) => !chargeable.has(id!))).toEqual([]);
}, 60_000);

it('the lines of the statement add up to the balance, which was below zero after none of them', async () => {
  const amounts = statement.lines.map((line) => microAud(line.amount_aud));
  const total = amounts.reduce((sum, amount) => sum + amount, microAud(statement.opening_balance_aud));
  const summary = await operator.ask(GetAccountSummary, { account_id: customer.accountId });
  expect(summary).toMatchObject({ available_micro_aud: total, held_micro_aud: 0 });
  expect(microAud(statement.closing_balance_aud)).toBe(total);
  expect(microAud(statement.held_aud!)).toBe(0);
  expect(statement.lines.filter((line) => microAud(line.balance_after_aud) < 0)).toEqual([]);
  const added = statement.lines.filter((line) => line.kind === 'top_up' || line.kind === 'adjustment');
  expect(added.reduce((sum, line) => sum + microAud(line.amount_aud), 0)).toBe(addedMicroAud);
  const freeUsed = statement.lines.filter((line) => line.kind === 'job').map((line) => -line.free_seconds);
  expect(freeUsed.reduce((sum, used) => sum + used, 0)).toBe(
    FREE_MINUTES * 60 - summary.free_seconds_available,
  );
});

it('the books are in order and nothing is left on hold', async () => {
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
});

/** As a real client does: again after a broken connection or a 5xx, until there is an answer that counts. */
async function submit(crowdAndIndex: string, seconds: number, onSecondGateway: boolean): Promise<void> {
  const client = onSecondGateway ? new Client(platform.baseUrlOf('gateway-2'), customer.apiKey) : customer;
  const bytes = wav(seconds, 440);
  const deadline = Date.now() + 90_000;
  for (let attempt = 0; Date.now() < deadline; attempt++) {
    const name = `${crowdAndIndex}-${attempt}.wav`;
    const record = (outcome: Attempt['outcome'], jobId?: string) =>
      attempts.push({ name, seconds, outcome, ...(jobId && { jobId }) });
    const answer = await client.transcribe({ name, bytes }).catch(() => undefined);
    if (answer?.status === 200) return void record('accepted', String(answer.body['job_id']));
    if (answer && answer.status < 500) {
      // Refused for want of money, and for nothing else.
      expect([name, answer.status, answer.body]).toEqual([name, 402, expect.anything()]);
      return void record('refused');
    }
    record(answer ? 'broken' : 'unanswered');
    await sleep(300 * (attempt + 1));
  }
}

/** The same credit arrives twice at the same time; it must be booked once. */
async function addCredit(name: string, amount: number): Promise<void> {
  const payload = {
    account_id: customer.accountId,
    amount_micro_aud: amount,
    kind: 'top_up' as const,
    reason: 'crowd',
    reference: `crowd:${name}`,
  };
  await Promise.all([operator.ask(AddCredit, payload, 60), operator.ask(AddCredit, payload, 60)]);
  addedMicroAud += amount;
}

/** Paid on the provider's page; the provider tells of it twice, and again until somebody has taken it. */
async function topUpByCard(): Promise<void> {
  const { checkout_url } = await operator.ask(
    StartTopUp,
    {
      account_id: customer.accountId,
      email: 'customer@example.com',
      amount_micro_aud: 5_000_000,
      return_url: `${platform.baseUrl}/dashboard/billing`,
    },
    60,
  );
  const sessionId = new URL(checkout_url!).pathname.split('/').at(-1)!;
  await stripe.pay(sessionId);
  const tell = async (gateway: string) => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const { body, signature } = stripe.event('checkout.session.completed', sessionId);
      const taken = await fetch(`${platform.baseUrlOf(gateway)}/api/v1/payment-events`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
        body: new Uint8Array(body),
      }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (taken) return;
      await sleep(300);
    }
    throw new Error(`nobody took the event of ${sessionId}`);
  };
  await Promise.all([tell('gateway'), tell('gateway-2')]);
  addedMicroAud += 5_000_000;
}

/** Asks for the balance without a pause, of the gateway and of billing itself. */
function watchBalance(): { stop(): Promise<{ samples: number; lowest: number }> } {
  let running = true;
  let samples = 0;
  let lowest = Infinity;
  const see = (balance: number) => {
    samples += 1;
    lowest = Math.min(lowest, balance);
  };
  const watch = async (look: () => Promise<number>) => {
    while (running) {
      await look().then(see, () => undefined);
      await sleep(20);
    }
  };
  const watching = Promise.all([
    watch(async () => Math.round(1e6 * Number((await answered('/api/v1/usage'))['balance_aud']))),
    watch(async () => Math.round(1e6 * Number((await answered('/api/v1/credit'))['balance_aud']))),
    watch(
      async () =>
        (await operator.ask(GetAccountSummary, { account_id: customer.accountId }, 1)).available_micro_aud,
    ),
  ]);
  return {
    async stop() {
      running = false;
      await watching;
      return { samples, lowest };
    },
  };
}

async function answered(path: string): Promise<Record<string, unknown>> {
  const answer = await customer.get(path);
  if (answer.status !== 200)
    throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** All jobs are terminal and no hold is open: at the latest when the last lease and the last sweep are through. */
async function everythingHasEnded(): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const open = (await allJobs()).filter((job) => job.status !== 'completed' && job.status !== 'failed');
    const { holds } = await operator.ask(ListOpenHolds, {
      older_than_seconds: 0,
      after_job_id: null,
      limit: 500,
    });
    if (open.length === 0 && holds.length === 0) return;
    if (Date.now() > deadline) throw new Error(`still open: ${JSON.stringify({ open, holds })}`);
    await sleep(500);
  }
}

async function allJobs(): Promise<JobList['jobs']> {
  const pages = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const list = (await answered(`/api/v1/jobs?page_size=100&page=${page}`)) as JobList;
    pages.push(list.jobs);
    last = list.total_pages;
  }
  return pages.flat();
}

async function wholeStatement(): Promise<Statement> {
  const first = (await answered('/api/v1/statement')) as Statement;
  const lines = [...first.lines];
  for (let after = first.next_after; after !== null;) {
    const page = (await answered(`/api/v1/statement?after=${after}`)) as Statement;
    lines.push(...page.lines);
    after = page.next_after;
  }
  return { ...first, lines };
}

async function allHolds(ids: string[]): Promise<Map<string, HoldView>> {
  const found = new Map<string, HoldView>();
  for (let from = 0; from < ids.length; from += 500) {
    const { holds } = await operator.ask(DescribeHolds, { job_ids: ids.slice(from, from + 500) });
    for (const hold of holds) found.set(hold.job_id, hold);
  }
  return found;
}

/** Objects of jobs that do not exist, once the janitor has had its minute. */
async function strayObjects(existing: ReadonlySet<string>): Promise<string[]> {
  const store = objectStoreClient(platform.s3);
  const deadline = Date.now() + 60_000;
  for (;;) {
    const stray: string[] = [];
    for await (const object of store.listObjectsV2(platform.s3.bucket, '', true)) {
      const { name } = object as { name: string };
      const id =
        /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]+(?=\/(source|chunks|recognized|[^/]*\.(json|voices)))/.exec(
          name,
        )?.[0];
      if (!id || !existing.has(id)) stray.push(name);
    }
    if (stray.length === 0 || Date.now() > deadline) return stray;
    await sleep(500);
  }
}

function microAud(exactAud: string): number {
  const [, sign, whole, fraction] = /^(-?)(\d+)\.(\d{6})$/.exec(exactAud)!;
  return (sign ? -1 : 1) * (Number(whole) * 1_000_000 + Number(fraction));
}
