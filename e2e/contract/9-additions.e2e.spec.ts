import type { Statement, StatementLine, TopUpBody, UsageBreakdown } from '@currawong/contracts';
import { startStripeServer, type StripeServer } from '@currawong/testing';
import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { wav } from '../recordings';
import { signedUp } from './2-authentication';
import { endings } from './9-endings';
import { openAi } from './9-openai';
import { submissions } from './9-submissions';
import { webhooks } from './9-webhooks';
import { Contract, made, TWO_SECONDS, type Customer } from './contract';

// What Currawong adds to the contract, and how it is documented.
let contract: Contract;
let stripe: StripeServer;
beforeAll(async () => {
  stripe = await startStripeServer();
  contract = await Contract.start(['billing', 'jobs', 'worker', 'gateway', 'webhooks'], {
    ...stripe.environment,
    OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32',
    // As large as the upload in the examples.
    MAX_FILE_BYTES: '17000000',
  });
}, 120_000);
afterAll(async () => {
  await contract?.stop();
  await stripe?.stop();
});

const here = () => contract;
describe('a recording sent otherwise', () => submissions(here));
describe('the end of a job', () => endings(here));
describe('webhooks', () => webhooks(here));
describe('programs for OpenAI’s API', () => openAi(here));

const micro = (aud: string) => BigInt(aud.replace('.', ''));
const month = () =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Australia/Sydney' }).format(new Date()).slice(0, 7);

describe('the statement', () => {
  const LINES = 620;
  let someone: Customer;
  beforeAll(async () => {
    someone = await contract.newCustomer();
    for (let from = 0; from < LINES; from += 62) {
      const batch = Array.from({ length: 62 }, (_, index) => from + index);
      await Promise.all(
        batch.map((n) =>
          contract.addCredit(someone, 10_000 + n, n === 7 ? FORMULA : `credit ${n}`, `lines:${n}`),
        ),
      );
    }
  }, 60_000);
  const FORMULA = '=HYPERLINK("https://example.com","click, please")';

  it('is of the present month in Sydney unless told, and names the customer', async () => {
    const { body } = await someone.get('/api/v1/statement');
    expect(body).toMatchObject({
      month: month(),
      timezone: 'Australia/Sydney',
      customer: { name: null, email: expect.stringMatching(/^customer-.*@example\.com$/) as string },
    });
    expect((await someone.get(`/api/v1/statement?month=${month()}`)).body['lines']).toEqual(body['lines']);
  });

  it('comes 500 lines at a time as JSON, and the lines add up to the balance', async () => {
    const first = (await someone.get('/api/v1/statement')).body as unknown as Statement;
    expect(first.lines).toHaveLength(500);
    const lines = [...first.lines];
    for (let after = first.next_after; after !== null;) {
      const page = (await someone.get(`/api/v1/statement?after=${after}`)).body as unknown as Statement;
      lines.push(...page.lines);
      after = page.next_after;
    }
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    expect(lines.filter(({ kind }) => kind === 'adjustment')).toHaveLength(LINES);
    const sum = lines.reduce(
      (total, line) => total + micro(line.amount_aud),
      micro(first.opening_balance_aud),
    );
    expect(sum).toBe(micro(first.closing_balance_aud));
  });

  it('comes as CSV with every line of the month, in a file named after it', async () => {
    const answer = await someone.get(`/api/v1/statement?format=csv`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="currawong-statement-${month()}.csv"`,
    );
    const [header, ...rows] = String(answer.body['text']).trimEnd().split('\r\n');
    expect(header).toMatch(/^booked_at,kind,description,/);
    expect(rows.filter((row) => row.includes(',adjustment,'))).toHaveLength(LINES);
  });

  it('a spreadsheet takes no description for a formula', async () => {
    const { body } = await someone.get('/api/v1/statement?format=csv');
    const row = String(body['text'])
      .split('\r\n')
      .find((line) => line.includes('HYPERLINK'));
    expect(row).toMatch(/,"?'?[^,=]*'?=HYPERLINK/);
    expect(row).not.toMatch(/,"?=HYPERLINK/);
  });

  it.each(['month=2026-13', 'month=november', 'month=2999-01', 'format=pdf', 'after=x'])(
    '?%s is 400',
    async (query) => {
      const answer = await someone.get(`/api/v1/statement?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body['detail']).toMatch(new RegExp(`^${query.split('=')[0]}: `));
    },
  );

  it('a month before the account is empty', async () => {
    expect((await someone.get('/api/v1/statement?month=2020-01')).body).toMatchObject({
      lines: [],
      opening_balance_aud: '0.000000',
      closing_balance_aud: '0.000000',
      held_aud: null,
    });
  });
});

describe('the breakdown of the usage', () => {
  it('says by name which key used what, and of a job its line of the statement says the same', async () => {
    const { cookie, csrf } = await signedUp(contract.anyone);
    const headers = { cookie, 'X-CSRF-Token': csrf };
    const ids: string[] = [];
    for (const name of ['production', 'intern']) {
      const key = (await contract.anyone.json('POST', '/api/v1/keys', { name }, headers)).body;
      const client = contract.anyone.as(String(key['api_key']));
      const seconds = name === 'production' ? 5 : 3;
      await client.finished(await client.submit({ name: `${name}.wav`, bytes: wav(seconds) }));
      ids.push(String(key['id']));
    }
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(TWO_SECONDS.bytes)]), 'dashboard.wav');
    const { status, body: receipt } = await contract.anyone.send('POST', '/api/v1/transcribe', form, headers);
    expect(status).toBe(200);
    await until(async () => {
      const job = await contract.anyone.send(
        'GET',
        `/api/v1/jobs/${String(receipt['job_id'])}`,
        undefined,
        headers,
      );
      return job.body['status'] === 'completed';
    });

    const breakdown = (await contract.anyone.send('GET', '/api/v1/usage/breakdown', undefined, headers))
      .body as unknown as UsageBreakdown;
    expect(breakdown.keys).toHaveLength(3);
    expect(breakdown.keys).toEqual(
      expect.arrayContaining([
        { key_id: ids[0], name: 'production', audio_seconds: 5, jobs: 1, cost_aud: '0.000000' },
        { key_id: ids[1], name: 'intern', audio_seconds: 3, jobs: 1, cost_aud: '0.000000' },
        { key_id: null, name: null, audio_seconds: 2, jobs: 1, cost_aud: '0.000000' },
      ]) as unknown,
    );
    expect(breakdown.days.reduce((sum, day) => sum + day.audio_seconds, 0)).toBe(10);
    const { lines } = (await contract.anyone.send('GET', '/api/v1/statement', undefined, headers)).body as {
      lines: StatementLine[];
    };
    const jobs = lines.filter(({ kind }) => kind === 'job');
    expect(jobs.map(({ key_id, audio_seconds }) => [key_id, audio_seconds])).toEqual([
      [ids[0], 5],
      [ids[1], 3],
      [null, 2],
    ]);
  });

  it.each(['2026-1', '2999-01'])('of the month %s is 400', async (wanted) => {
    const answer = await contract.other.get(`/api/v1/usage/breakdown?month=${wanted}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^month: /) as string },
    });
  });
});

describe('a top-up', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    const { cookie, csrf } = await signedUp(contract.anyone);
    headers = { cookie, 'X-CSRF-Token': csrf };
  });
  const start = (amount_aud: unknown) =>
    contract.anyone.json('POST', '/api/v1/top-ups', { amount_aud }, headers);
  const send = (body: Buffer, signature: string | undefined) =>
    contract.anyone.send('POST', '/api/v1/payment-events', body.toString('latin1'), {
      'Content-Type': 'application/json',
      ...(signature === undefined ? {} : { 'Stripe-Signature': signature }),
    });
  const balance = async () =>
    (await contract.anyone.send('GET', '/api/v1/credit', undefined, headers)).body['balance_aud'];

  it('is for whoever is signed in: a key alone cannot', async () => {
    const answer = await contract.other.json('POST', '/api/v1/top-ups', { amount_aud: '25' });
    expect(answer).toMatchObject({ status: 401, body: { detail: 'Sign in first.' } });
    expect((await contract.other.get('/api/v1/top-ups')).status).toBe(401);
    const forged = await contract.anyone.json(
      ...(['POST', '/api/v1/top-ups', { amount_aud: '25' }, { cookie: headers['cookie']! }] as const),
    );
    expect(forged.status).toBe(403);
  });

  it.each(['0', '0.00', '-5', '1.234', 'lots', 5, '4.99', '1000.01'])('of AUD %s is 400', async (amount) => {
    const answer = await start(amount);
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toMatch(/^amount_aud: /);
  });

  it('begins with a page to pay on, and its event makes the credit, once', async () => {
    const begun = await start('25');
    expect(begun).toMatchObject({ status: 201, body: { amount_aud: '25.00', state: 'open', paid_at: null } });
    const { id, checkout_url } = begun.body as unknown as TopUpBody;
    const session = [...stripe.sessions.values()].find(({ url }) => url === checkout_url)!;
    const { port } = new URL(contract.platform.baseUrl);
    expect(session.success_url).toBe(`http://localhost:${port}/dashboard/billing?top-up=${id}`);
    await stripe.pay(session.id);
    const { body, signature } = stripe.event('checkout.session.completed', session.id);
    for (let repetition = 0; repetition < 2; repetition++)
      expect(await send(body, signature)).toMatchObject({ status: 200, body: { status: 'handled' } });
    expect(await balance()).toBe('25.00');
    const listed = await contract.anyone.send('GET', '/api/v1/top-ups', undefined, headers);
    expect(listed.body).toMatchObject({ available: true, top_ups: [{ id, state: 'paid' }] });
  });

  it('an event that concerns nothing of ours is taken and ignored', async () => {
    const { body, signature } = stripe.sign({
      id: 'evt_1',
      object: 'event',
      type: 'customer.created',
      data: { object: {} },
    });
    expect(await send(body, signature)).toMatchObject({ status: 200, body: { status: 'ignored' } });
  });

  it('an event with a wrong signature, none, or too many bytes is 400 and changes nothing', async () => {
    const begun = (await start('50')).body as unknown as TopUpBody;
    const session = [...stripe.sessions.values()].find(({ url }) => url === begun.checkout_url)!;
    await stripe.pay(session.id);
    const { body, signature } = stripe.event('checkout.session.completed', session.id, {
      secret: 'whsec_of_another',
    });
    const before = await balance();
    expect((await send(body, signature)).status).toBe(400);
    expect((await send(body, undefined)).status).toBe(400);
    expect(await send(Buffer.alloc(100_001, ' '), signature)).toMatchObject({
      status: 400,
      body: { detail: 'The body has more than 100000 bytes.' },
    });
    expect(await balance()).toBe(before);
  });

  it('what is not signed as the provider signs is 400 before billing is asked', async () => {
    const { body, signature } = stripe.sign({ type: 'customer.created' });
    const [time, v1] = signature.split(',') as [string, string];
    await contract.platform.halt('billing');
    try {
      for (const unsigned of [
        'x',
        time,
        v1,
        `${time},v1=`,
        `${time},v1=abc`,
        `t=,${v1}`,
        `t=x,${v1}`,
        `${time};${v1}`,
      ])
        expect(await send(body, unsigned)).toMatchObject({
          status: 400,
          body: { detail: expect.stringMatching(/^stripe-signature: /) as string },
        });
    } finally {
      await contract.platform.resume('billing');
    }
  });

  it('an event with two signatures, as while a secret is replaced, is taken', async () => {
    const { body, signature } = stripe.sign({
      id: 'evt_3',
      object: 'event',
      type: 'customer.created',
      data: { object: {} },
    });
    const [time, v1] = signature.split(',') as [string, string];
    const two = `${time},v1=${'0'.repeat(64)},${v1},v0=${'0'.repeat(64)}`;
    expect(await send(body, two)).toMatchObject({ status: 200, body: { status: 'ignored' } });
  });

  it('while billing is away an event is 503, so that the provider repeats it', async () => {
    const { body, signature } = stripe.sign({
      id: 'evt_2',
      object: 'event',
      type: 'customer.created',
      data: { object: {} },
    });
    await contract.platform.halt('billing');
    try {
      expect((await send(body, signature)).status).toBe(503);
    } finally {
      await contract.platform.resume('billing');
    }
    expect((await send(body, signature)).status).toBe(200);
  }, 60_000);
});

describe('what a job says besides', () => {
  let someone: Customer;
  beforeAll(async () => {
    someone = await contract.newCustomer({ creditAud: '1' });
  });

  it('an analysis has its own price: held, charged and said, while the estimate stays at the price without', async () => {
    const id = await someone.submit({ name: 'a.wav', bytes: wav(60) }, { analysis: 'sentiment' });
    const job = await someone.finished(id);
    expect(job).toMatchObject({ status: 'completed', analysis: 'sentiment', cost_aud: 0.03 });
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      ...{ balance_aud: '0.97', price_per_minute_aud: '0.02', estimated_remaining_minutes: 48 },
      price_per_minute_with_analysis_aud: '0.03',
    });
    const { lines } = (await someone.get('/api/v1/statement')).body as unknown as Statement;
    expect(lines.find(({ kind }) => kind === 'job')).toMatchObject({ amount_aud: '-0.030000' });
  }, 60_000);

  it('where the credit is enough without an analysis but not with one, 402 gives the numbers', async () => {
    const poor = await contract.newCustomer({ creditAud: '0.50' });
    const twentyMinutes = made(
      'a.mp3',
      '-f',
      'lavfi',
      '-i',
      'anullsrc=r=16000:cl=mono',
      '-t',
      '1200',
      '-b:a',
      '8k',
    );
    const refused = await poor.transcribe(twentyMinutes, { analysis: 'sentiment' });
    expect(refused.status).toBe(402);
    expect(refused.body['detail']).toMatch(/needs AUD 0\.6\d? .* AUD 0\.50 is available\. Top up AUD 0\.1/);
    await contract.expectNothingLeft(poor);
    await poor.submit(twentyMinutes);
  }, 60_000);

  it('an analysis that is not known is 400', async () => {
    expect(await someone.transcribe(TWO_SECONDS, { analysis: 'emotion' })).toMatchObject({
      ...{ status: 400, body: { detail: 'analysis: must be sentiment, or left out' } },
    });
  });

  it('the number of speakers is as it was sent; engine and diarizer are named', async () => {
    const sent = await someone.finished(await someone.submit(TWO_SECONDS, { num_speakers: '3' }));
    expect(sent).toMatchObject({
      ...{ num_speakers: 3, analysis: null, speakers_summary: null },
      engine: { name: 'null', version: '1', model: null },
      ...{ queue_position: null, estimated_completion_at: null, diarization_pending: false },
    });
    const unsaid = await someone.finished(await someone.submit(TWO_SECONDS));
    expect(unsaid['num_speakers']).toBeNull();
  }, 60_000);

  it('jobs that wait say how many are before them; when they will be done, once something was', async () => {
    await contract.platform.halt('worker');
    try {
      const ids: string[] = [];
      for (let count = 0; count < 3; count++)
        ids.push(await someone.submit({ name: `${count}.wav`, bytes: wav(20) }));
      const waiting = await Promise.all(
        ids.map((id) => someone.until(id, (job) => typeof job['queue_position'] === 'number')),
      );
      const positions = waiting.map((job) => Number(job['queue_position']));
      expect(positions.every((position, index) => index === 0 || position > positions[index - 1]!)).toBe(
        true,
      );
      for (const job of waiting) {
        const at = Date.parse(String(job['estimated_completion_at']));
        expect(at).toBeGreaterThan(Date.parse(job['created_at'] as string));
      }
      expect((await someone.get('/api/v1/jobs?status=pending')).body['jobs']).toContainEqual(
        expect.objectContaining({ id: ids[2], queue_position: expect.any(Number) as number }),
      );
    } finally {
      await contract.platform.resume('worker');
    }
  }, 90_000);
});

describe('the documentation', () => {
  const page = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${contract.platform.baseUrl}/docs`, { headers });
    return { headers: response.headers, status: response.status, html: await response.text() };
  };

  it('is a page without script, with nothing but a stylesheet of ours', async () => {
    const { html, headers, status } = await page();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=|<img|<iframe/i);
    const sheet = await fetch(`${contract.platform.baseUrl}/docs/docs.css`);
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await sheet.text()).not.toMatch(/url\(|@import/);
  });

  it('has every operation, and no link within it leads nowhere', async () => {
    const { html } = await page();
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(links.filter((target) => !ids.includes(target))).toEqual([]);
    const { paths } = (await contract.anyone.get('/api/v1/openapi.json')).body as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const operations = Object.values(paths).flatMap((item) =>
      Object.values(item).map((one) => one.operationId),
    );
    expect(operations.filter((id) => id !== undefined && !ids.includes(id))).toEqual([]);
  });

  it('names the address that the reader asked, and no other that could be smuggled in', async () => {
    const { host } = new URL(contract.platform.baseUrl);
    expect((await page()).html).toContain(`curl -sS &quot;http://${host}/api/v1/transcribe&quot;`);
    for (const forged of ['evil.example"; rm -rf ~; "', '$(id)', '<b>x</b>'])
      expect((await rawPage(contract.platform.baseUrl, forged)).html).not.toContain(forged.slice(0, 5));
  });

  it('every example for the shell works as pasted', async () => {
    const { html } = await page();
    const examples = [...html.matchAll(/<pre class="shell"[^>]*><code>(.*?)<\/code>/gs)].map(([, text]) =>
      unescaped(text!),
    );
    expect(examples.length).toBeGreaterThan(15);
    const folder = mkdtempSync(join(tmpdir(), 'currawong-docs-'));
    writeFileSync(join(folder, 'talk.mp3'), made('talk.mp3', '-f', 'lavfi', '-i', 'sine=duration=1').bytes);
    const { apiKey } = await contract.newCustomer({ freeMinutes: 90 });
    // Whatever is not answered 2xx ends the script.
    const script = ['set -e -o pipefail', 'curl() { command curl --fail-with-body "$@"; }', ...examples].join(
      '\n',
    );
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: folder,
      env: { ...process.env, CURRAWONG_API_KEY: apiKey! },
    });
    expect(stdout).toContain('"status":"completed"');
    expect(readdirSync(folder)).toContain(`currawong-statement-${month()}.csv`);
    rmSync(folder, { recursive: true });
  }, 60_000);
});

function unescaped(text: string): string {
  const characters: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => characters[entity]!);
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await reached())) {
    if (Date.now() > deadline) throw new Error('it did not come to that within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** With a Host header that fetch would not send. */
async function rawPage(baseUrl: string, host: string): Promise<{ html: string }> {
  return new Promise((resolve, reject) => {
    get(`${baseUrl}/docs`, { headers: { host } }, (response) => {
      let html = '';
      response.on('data', (bytes) => (html += String(bytes)));
      response.on('end', () => resolve({ html }));
    }).on('error', reject);
  });
}
