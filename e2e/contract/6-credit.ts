import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { wav } from '../recordings';
import type { ScriptedWorker } from '../scripted-worker';
import { quiet, TWO_SECONDS, type Contract, type Customer } from './contract';
import { signedUp } from './2-authentication';

export function credit(here: () => Contract): void {
  it('has the documented fields: amounts as text with two decimals, whole minutes', async () => {
    const someone = await here().newCustomer({ creditAud: '1', freeMinutes: 5 });
    expect((await someone.get('/api/v1/credit')).body).toEqual({
      balance_aud: '1.00',
      price_per_minute_aud: '0.02',
      total_topped_up_aud: '1.00',
      total_used_aud: '0.00',
      estimated_remaining_minutes: 55,
      free_minutes_remaining: 5,
      price_per_minute_with_analysis_aud: '0.03',
    });
  });

  it('rounds towards what the customer really has: down for the balance, up for what was used', async () => {
    const someone = await here().newCustomer({ creditAud: '12.345678' });
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({ balance_aud: '12.34' });
    await someone.finished(await someone.submit({ name: 'a.wav', bytes: wav(40) }));
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '12.33',
      total_used_aud: '0.02',
      total_topped_up_aud: '12.34',
      // 616.6 minutes.
      estimated_remaining_minutes: 616,
    });
    expect((await someone.get('/api/v1/usage')).body['balance_aud']).toBe(12.332345);
  });

  it('charges AUD 0.02 a minute by the second, without a minimum, rounded half up to a micro-AUD', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    // 1 s: 333.33; 2 s: 666.67; 3 s: 1000; 50 s: 16666.67 micro-AUD.
    for (const [seconds, cost] of [
      [1, 0.000333],
      [2, 0.000667],
      [3, 0.001],
      [50, 0.016667],
    ] as const) {
      const job = await someone.finished(await someone.submit({ name: 'a.wav', bytes: wav(seconds) }));
      expect([seconds, job['cost_aud']]).toEqual([seconds, cost]);
    }
    expect((await someone.get('/api/v1/usage')).body['balance_aud']).toBe(0.981333);
  });

  it('diarization is free: the number of speakers changes no price', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    const costs = [];
    for (const num_speakers of ['1', '10']) {
      const job = await someone.finished(await someone.submit(TWO_SECONDS, { num_speakers }));
      costs.push(job['cost_aud']);
    }
    expect(costs).toEqual([0.000667, 0.000667]);
  });

  it('free minutes are used first, then money, in one and the same job', async () => {
    const someone = await here().newCustomer({ creditAud: '1', freeMinutes: 1 });
    const job = await someone.finished(await someone.submit(quiet(90)));
    expect(job).toMatchObject({ audio_duration_seconds: 90, cost_aud: 0.01 });
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '0.99',
      free_minutes_remaining: 0,
      total_used_aud: '0.01',
    });
  });

  it('while free minutes are left the AUD 0.50 minimum does not apply', async () => {
    const someone = await here().newCustomer({ freeMinutes: 1 });
    await someone.finished(await someone.submit(TWO_SECONDS));
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '0.00',
      free_minutes_remaining: 0,
      estimated_remaining_minutes: 0,
    });
    // 58 seconds are left.
    await someone.finished(await someone.submit(TWO_SECONDS));
  });

  it('a new account has 90 free minutes without a card', async () => {
    const { cookie } = await signedUp(here().anyone);
    const answer = await here().anyone.send('GET', '/api/v1/credit', undefined, { cookie });
    expect(answer.body).toMatchObject({
      balance_aud: '0.00',
      free_minutes_remaining: 90,
      estimated_remaining_minutes: 90,
    });
  });

  it('by the time a client can see completed, credit and usage include the charge', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    for (let n = 1; n <= 5; n++) {
      const id = await someone.submit({ name: 'a.wav', bytes: wav(3) });
      while ((await someone.job(id)).status !== 'completed');
      const [credited, used] = await Promise.all([
        someone.get('/api/v1/credit'),
        someone.get('/api/v1/usage'),
      ]);
      expect(credited.body['total_used_aud']).toBe('0.01');
      expect(used.body).toMatchObject({ minutes_used: (n * 3) / 60, balance_aud: 1 - n / 1_000 });
    }
  });

  it('however many submissions run at once, the balance never goes below zero', async () => {
    const someone = await here().newCustomer({ creditAud: '0.50' });
    // AUD 0.20 each: two fit, and below AUD 0.50 nothing is accepted at all.
    const long = quiet(600);
    const answers = await Promise.all(Array.from({ length: 6 }, () => someone.transcribe(long)));
    const accepted = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(6 - accepted.length);
    expect([1, 2]).toContain(accepted.length);
    for (const { body } of accepted) await someone.finished(String(body['job_id']));
    const left = 0.5 - accepted.length * 0.2;
    expect((await someone.get('/api/v1/usage')).body['balance_aud']).toBeCloseTo(left, 6);
  });
}

/** With a worker that does what the test says. */
export function heldCredit(here: () => Contract, scripted: () => ScriptedWorker): void {
  let someone: Customer;
  beforeEach(async () => (someone = await here().newCustomer({ creditAud: '1' })));
  const balance = async () => (await someone.get('/api/v1/usage')).body['balance_aud'];

  it('the price of the probed length is held: balance_aud is what can still be spent', async () => {
    const id = await someone.submit({ name: 'a.wav', bytes: wav(60) });
    expect(await balance()).toBe(0.98);
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '0.98',
      total_used_aud: '0.00',
      estimated_remaining_minutes: 49,
    });
    // The exact decoded length is captured: 45 seconds, and the rest comes back.
    await scripted().transcribed(await scripted().begin(id), 'shorter than it said', 45);
    expect(await someone.finished(id)).toMatchObject({ audio_duration_seconds: 45, cost_aud: 0.015 });
    expect(await balance()).toBe(0.985);
  });

  it('a failed job releases the hold and is not charged', async () => {
    const id = await someone.submit({ name: 'a.wav', bytes: wav(60) });
    expect(await balance()).toBe(0.98);
    const work = await scripted().begin(id);
    await scripted().report(work, { kind: 'refused', code: 'undecodable_audio', detail: 'No audio.' });
    await someone.finished(id);
    expect(await balance()).toBe(1);
    expect((await someone.get('/api/v1/usage')).body['minutes_used']).toBe(0);
  });

  it('a job is charged once, however often its result is reported', async () => {
    const id = await someone.submit({ name: 'a.wav', bytes: wav(60) });
    const work = await scripted().begin(id);
    await Promise.all([scripted().transcribed(work, 'once', 60), scripted().transcribed(work, 'twice', 60)]);
    await someone.finished(id);
    await scripted().afterwards();
    expect(await balance()).toBe(0.98);
  });

  it('a job keeps the price at which it was accepted', async () => {
    const id = await someone.submit({ name: 'a.wav', bytes: wav(60) });
    const endOfSale = await sellAt(here(), 30_000);
    try {
      expect((await someone.get('/api/v1/credit')).body['price_per_minute_aud']).toBe('0.03');
      await scripted().transcribed(await scripted().begin(id), 'at the old price', 60);
      expect(await someone.finished(id)).toMatchObject({ cost_aud: 0.02 });
      const dearer = await someone.submit({ name: 'a.wav', bytes: wav(60) });
      await scripted().transcribed(await scripted().begin(dearer), 'at the new price', 60);
      expect(await someone.finished(dearer)).toMatchObject({ cost_aud: 0.03 });
    } finally {
      await endOfSale();
    }
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      price_per_minute_aud: '0.02',
      total_used_aud: '0.05',
    });
  }, 60_000);
}

/** Billing, started again with another price. @returns what puts the first one back */
async function sellAt({ platform, other }: Contract, priceMicroAud: number): Promise<() => Promise<void>> {
  await platform.halt('billing');
  const main = join(__dirname, '..', '..', 'apps', 'billing', 'dist', 'main.js');
  const billing = spawn(process.execPath, [main], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DATABASE_URL: platform.databaseUrl,
      NATS_URL: platform.nats.url,
      METRICS_PORT: new URL(platform.metricsUrls['billing']!).port,
      CURRAWONG_REGION: 'ap-southeast-2',
      PRICE_PER_MINUTE_MICRO_AUD: String(priceMicroAud),
    },
  });
  const ended = new Promise((resolve) => billing.once('exit', resolve));
  const stop = async () => {
    billing.kill();
    await ended;
    await platform.resume('billing');
  };
  const deadline = Date.now() + 20_000;
  while ((await other.get('/api/v1/credit')).status !== 200) {
    if (Date.now() > deadline) {
      await stop();
      throw new Error('billing did not come back');
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return stop;
}
