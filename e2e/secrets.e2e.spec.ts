import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOtlpCollector, type OtlpCollector } from '@currawong/telemetry/otlp-collector';
import { startPlatform, startStripeServer, type StripeServer, type TestPlatform } from '@currawong/testing';
import { startMailbox, tokenIn, type Mailbox } from './accounts/mailbox';
import { eventually, Person, query } from './accounts/person';
import { Client } from './client';
import { leaks, passage, token, type Place, type Secret } from './leaks';
import { speech } from './recordings';

jest.setTimeout(180_000);

const PASSWORD = 'quoll-hollow tamarind 7 overcast';
const NEW_PASSWORD = 'a lyrebird at the "Wollemi" gate';
const PROMPT = 'Elinor Dashwood, the Norland estate, Barton Cottage in Devonshire';
const IN_FILE = 'wattlebird-mistletoe-ironbark-escarpment';

let collector: OtlpCollector;
let mailbox: Mailbox;
let stripe: StripeServer;
let platform: TestPlatform;
let person: Person;
let apiKey: string;
const secrets: Secret[] = [];

beforeAll(async () => {
  [collector, mailbox, stripe] = await Promise.all([
    startOtlpCollector(),
    startMailbox(),
    startStripeServer(),
  ]);
  platform = await startPlatform({
    services: ['billing', 'jobs', 'worker', 'gateway', 'webhooks'],
    env: {
      ...stripe.environment,
      LOG_LEVEL: 'debug',
      OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32',
      WEBHOOK_RETRY_SECONDS: '0.2,0.2,600',
      WEBHOOK_POLL_SECONDS: '0.2',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Currawong <hello@currawong.example>',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  });
  stripe.sendEventsTo(`${platform.baseUrl}/api/v1/payment-events`);
  person = new Person(platform.baseUrl);
  secrets.push(
    token('the password', PASSWORD),
    token('the new password', NEW_PASSWORD),
    token('the prompt', PROMPT),
    token('the content of the file', IN_FILE),
    token('the Stripe key', stripe.environment.STRIPE_SECRET_KEY),
    token('the Stripe webhook secret', stripe.environment.STRIPE_WEBHOOK_SECRET),
    token('the database password', decodeURIComponent(new URL(platform.databaseUrl).password)),
    token('the secret key of the store', platform.s3.secretKey),
  );
  const natsPassword = decodeURIComponent(new URL(platform.nats.url).password);
  if (natsPassword) secrets.push(token('the NATS password', natsPassword));
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await Promise.all([collector?.close(), mailbox?.stop(), stripe?.stop()]);
});

// In this order: each part of a customer's life adds its secrets, the last test looks for all of them.

it('a person signs up, confirms the address, forgets the password and chooses another', async () => {
  await person.signUp(PASSWORD);
  keepSession('after the sign-up');
  const confirmation = await mailWith('confirm-email');
  secrets.push(token('the confirmation token', confirmation));
  await expectStatus(person.send('POST', '/api/v1/email-confirmation/confirm', { token: confirmation }), 200);
  await expectStatus(person.trySignIn(`${PASSWORD}!`), 401);
  await expectStatus(person.send('POST', '/api/v1/password-reset', { email: person.email }), 202);
  const reset = await mailWith('reset-password');
  secrets.push(token('the reset token', reset));
  await expectStatus(
    person.send('POST', '/api/v1/password-reset/confirm', { token: `${reset}x`, password: NEW_PASSWORD }),
    400,
  );
  await expectStatus(
    person.send('POST', '/api/v1/password-reset/confirm', { token: reset, password: NEW_PASSWORD }),
    200,
  );
  await person.signIn(NEW_PASSWORD);
  keepSession('after the reset');
  await expectStatus(
    person.send('PUT', '/api/v1/account/password', { current_password: NEW_PASSWORD, password: PASSWORD }),
    200,
  );
});

it('a recording is sent with a prompt, and its transcript read in every form', async () => {
  const { api_key } = await person.createKey('live');
  apiKey = api_key;
  secrets.push(token('the API key', api_key, 12));
  const client = new Client(platform.baseUrl, api_key);
  const { name, bytes } = speech();
  const id = await client.submit({ name, bytes: withComment(bytes, IN_FILE) }, { prompt: PROMPT });
  const job = await client.finished(id, 120);
  expect(job.status).toBe('completed');
  secrets.push(passage('the transcript', job.transcription!));
  for (const path of ['', '?words=true', '/transcript?format=srt', '/transcript?format=json', '/audio']) {
    const response = await fetch(`${platform.baseUrl}/api/v1/jobs/${id}${path}`, {
      headers: { 'X-API-Key': api_key },
    });
    await response.arrayBuffer();
    expect([path, response.status]).toEqual([path, 200]);
  }
  // Not audio at all: the decoder's complaint must not quote it.
  const broken = await client.transcribe({
    name: 'broken.wav',
    bytes: Buffer.concat([bytes.subarray(0, 64), Buffer.from(`${IN_FILE}\n`.repeat(400))]),
  });
  if (broken.status === 200) await client.finished(String(broken.body['job_id']), 60);
});

it('addresses with tokens, keys of requests and secrets of webhooks are used, and some do not work', async () => {
  const secretOf = async () => String((await person.get('/api/v1/webhooks/secret')).body['secret']);
  secrets.push(token('the webhook secret', await secretOf(), 'whsec_'.length));
  const receiver = createServer((_, response) => void response.writeHead(500).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const inAddresses = { webhook: `hook-${randomUUID()}`, file: `file-${randomUUID()}` };
  secrets.push(
    token('the token in the address of the webhook', inAddresses.webhook),
    token('the token in the address of the file', inAddresses.file),
  );
  const url = `http://127.0.0.1:${port}/${inAddresses.webhook}?token=${inAddresses.webhook}`;
  await expectStatus(person.send('PUT', '/api/v1/webhooks', { url }), 200);
  await expectStatus(person.send('POST', '/api/v1/webhooks/secret/rotation'), 200);
  secrets.push(token('the new webhook secret', await secretOf(), 'whsec_'.length));

  const submit = async (fields: Record<string, string>, requestKey: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    if (!fields['file_url'] && !fields['upload_id'])
      form.set('file', new Blob([new Uint8Array(speech().bytes)]), 'a.wav');
    const headers = { 'X-API-Key': apiKey, 'Idempotency-Key': requestKey };
    if (!secrets.some(({ text }) => text === requestKey))
      secrets.push(token(`the key of request ${secrets.length}`, requestKey));
    const response = await fetch(`${platform.baseUrl}/api/v1/transcribe`, {
      method: 'POST',
      headers,
      body: form,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const requestKey = randomUUID();
  const first = await expectStatus(submit({}, requestKey), 200);
  expect((await submit({}, requestKey)).body).toEqual(first.body);
  await expectStatus(submit({ prompt: PROMPT }, requestKey), 409);
  const file_url = `https://127.0.0.1:${port}/a.wav?X-Amz-Signature=${inAddresses.file}`;
  expect((await submit({ file_url }, randomUUID())).status).toBeGreaterThanOrEqual(400);
  expect((await submit({ file_url: file_url.replace('//', '//user:pass@') }, randomUUID())).status).toBe(400);

  const { bytes } = speech();
  const begun = await expectStatus(
    person.send('POST', '/api/v1/uploads', { filename: 'a.wav', size_bytes: bytes.length }),
    201,
  );
  const parts = begun.body['parts'] as { url: string; size_bytes: number }[];
  let at = 0;
  for (const part of parts) {
    const signature = new URL(part.url).searchParams.get('X-Amz-Signature')!;
    secrets.push(token(`the signature of the part from ${at}`, signature));
    const body = new Uint8Array(bytes.subarray(at, (at += part.size_bytes)));
    expect((await fetch(part.url, { method: 'PUT', body })).status).toBe(200);
    // A part's address where it does not belong.
    await fetch(`${platform.baseUrl}/api/v1/uploads${new URL(part.url).search}`);
  }
  await submit({ upload_id: String(begun.body['upload_id']) }, randomUUID());

  // Called in vain, and then nobody is there.
  const attempts = async (count: number) =>
    eventually(
      async () => {
        const { body } = await person.get('/api/v1/webhooks/deliveries');
        return (body['deliveries'] as { attempt_count: number }[]).some(
          (told) => told.attempt_count >= count,
        );
      },
      `webhook attempt ${count}`,
      60,
    );
  await attempts(1);
  receiver.closeAllConnections();
  receiver.close();
  await attempts(3);
});

it('a top-up is paid', async () => {
  const { body } = await expectStatus(person.send('POST', '/api/v1/top-ups', { amount_aud: '25' }), 201);
  await stripe.pay(new URL(String(body['checkout_url'])).pathname.split('/').at(-1)!);
  const forged = stripe.sign({ type: 'checkout.session.completed' }, { secret: 'whsec_somebody_elses' });
  await expectStatus(
    person.send('POST', '/api/v1/payment-events', forged.body.toString(), {
      'stripe-signature': forged.signature,
    }),
    400,
  );
  await eventually(
    async () => (await person.get('/api/v1/credit')).body['balance_aud'] === '25.00',
    'the top-up is booked',
  );
});

it('keys, cookies, tokens and bodies that are sent wrongly are refused', async () => {
  const { api_key } = await person.createKey('wrongly sent');
  secrets.push(token('the wrongly sent key', api_key, 12));
  const usage = (headers: Record<string, string>, query = '') =>
    fetch(`${platform.baseUrl}/api/v1/usage${query}`, { headers }).then(({ status }) => status);
  expect(await usage({ 'X-API-Key': `${api_key}x` })).toBe(401);
  expect(await usage({ 'X-API-Key': ` "${api_key}"` })).toBe(401);
  expect(await usage({ 'X-API-Key': `${api_key}, ${api_key}` })).toBe(401);
  expect(await usage({ 'X-API-Key': api_key.repeat(40) })).toBe(401);
  expect(await usage({ Authorization: `Basic ${Buffer.from(`user:${api_key}`).toString('base64')}` })).toBe(
    401,
  );
  expect(await usage({}, `?api_key=${api_key}&X-API-Key=${api_key}`)).toBe(401);
  expect(await usage({ Cookie: `currawong_session=${api_key}` })).toBe(401);
  expect(
    (await fetch(`${platform.baseUrl}/api/v1/jobs/${api_key}`, { headers: { 'X-API-Key': api_key } })).status,
  ).toBe(404);
  expect((await fetch(`${platform.baseUrl}/${api_key}`)).status).toBe(404);
  // Not HTTP: the parser itself complains, with the bytes at hand.
  expect(await raw(`GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nX-API-Key : ${api_key}\r\n\r\n`)).toMatch(
    / 400 /,
  );
  expect(await raw(`GET /api/v1/usage HTTP/1.1\r\nHost: x\r\n${api_key}\r\n\r\n`)).toMatch(/ 400 /);
  const csrf = person.csrfToken!;
  await expectStatus(person.send('POST', '/api/v1/keys', { name: 'x' }, { 'x-csrf-token': `${csrf}x` }), 403);
  await expectStatus(
    person.send('POST', '/api/v1/session', `{"email":"a@example.com","password":"${PASSWORD}`),
    400,
  );
  await expectStatus(person.send('POST', '/api/v1/session', { email: [PASSWORD], password: 7 }), 400);
  await expectStatus(person.send('POST', '/api/v1/sign-up', { email: PASSWORD, password: PASSWORD }), 400);
  const form = `--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${PROMPT}\r\n--x\r\n${IN_FILE}`;
  await fetch(`${platform.baseUrl}/api/v1/transcribe`, {
    method: 'POST',
    headers: { 'X-API-Key': api_key, 'Content-Type': 'multipart/form-data; boundary=x' },
    body: form,
  }).then(({ status }) => expect(status).toBe(400));
});

it('while other services are away', async () => {
  const { api_key } = await person.createKey('while away');
  secrets.push(token('the key while others are away', api_key, 12));
  const client = new Client(platform.baseUrl, api_key);
  const { name, bytes } = speech();
  await platform.halt('billing');
  await client.get('/api/v1/usage');
  await client.transcribe({ name, bytes }, { prompt: PROMPT });
  await person.send('POST', '/api/v1/top-ups', { amount_aud: '25' });
  await platform.resume('billing');
  stripe.setMood('down');
  await person.send('POST', '/api/v1/top-ups', { amount_aud: '30' });
  stripe.setMood('well');
  mailbox.refuseWith = 550;
  await person.send('POST', '/api/v1/password-reset', { email: person.email });
  await eventually(async () => mailbox.refused > 0, 'the mail is refused');
  mailbox.refuseWith = undefined;
});

it('while the database fails at every table of the accounts', async () => {
  const tables = await query<{ name: string }>(
    platform.databaseUrl,
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'accounts'",
  );
  expect(tables.length).toBeGreaterThan(3);
  let broken = 0;
  for (const { name } of tables) {
    // The cache of the gateway would answer for what it has just seen.
    await sleep(1000);
    await query(platform.databaseUrl, `ALTER TABLE accounts.${name} RENAME TO taken_away`);
    const newcomer = new Person(platform.baseUrl);
    const answers = await Promise.all([
      newcomer.send('POST', '/api/v1/sign-up', { email: newcomer.email, password: NEW_PASSWORD }),
      person.trySignIn(PASSWORD),
      person.send('POST', '/api/v1/keys', { name: 'not to be had' }),
      person.send('POST', '/api/v1/password-reset', { email: person.email }),
      person.send('POST', '/api/v1/password-reset/confirm', {
        token: 'a'.repeat(43),
        password: NEW_PASSWORD,
      }),
      person.send('PUT', '/api/v1/account/password', { current_password: PASSWORD, password: NEW_PASSWORD }),
    ]);
    broken += answers.filter(({ status }) => status >= 500).length;
    await query(platform.databaseUrl, `ALTER TABLE accounts.taken_away RENAME TO ${name}`);
  }
  expect(broken).toBeGreaterThan(5);
});

it('and none of it stands in a log, in a metric or in a trace', async () => {
  // Spans leave in batches, once a second.
  await sleep(2_500);
  const places = await allPlaces();
  expect(leaks(secrets, places)).toEqual([]);
  // The same search finds each of them where it is planted in the midst of a log.
  const [log] = places as [Place];
  const planted = secrets.map(({ what, text }) => JSON.stringify({ level: 30, msg: `${what}: ${text}` }));
  const found = leaks(secrets, [{ ...log, text: `${log.text}${planted.join('\n')}\n` }]);
  expect(found.map((line) => line.split(` in ${log.where}`)[0]).sort()).toEqual(
    secrets.map(({ what }) => what).sort(),
  );
});

/** What a session is made of; the old ones are to stay secret as well. */
function keepSession(when: string): void {
  const [cookie] = person.cookies.values();
  secrets.push(token(`the session ${when}`, cookie!), token(`the CSRF token ${when}`, person.csrfToken!));
}

async function mailWith(page: string): Promise<string> {
  const mail = await eventually(
    async () => mailbox.to(person.email).find(({ text }) => text.includes(`/dashboard/${page}#`)),
    `a mail that leads to ${page}`,
  );
  return tokenIn(mail);
}

async function expectStatus<A extends { status: number; body: unknown }>(
  asked: Promise<A>,
  status: number,
): Promise<A> {
  const answer = await asked;
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  return answer;
}

/** The recording with one more chunk at its end that says this; players pass it by. */
function withComment(wavBytes: Buffer, comment: string): Buffer {
  const chunk = Buffer.alloc(8 + comment.length);
  chunk.write('note', 0);
  chunk.writeUInt32LE(comment.length, 4);
  chunk.write(comment, 8);
  const whole = Buffer.concat([wavBytes, chunk]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(platform.baseUrl);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}

async function allPlaces(): Promise<Place[]> {
  const logs = readdirSync(platform.logFolder).map((name) => join(platform.logFolder, name));
  const metrics = Object.entries(platform.metricsUrls).map(async ([name, url]) => ({
    where: `the metrics of ${name}`,
    text: await (await fetch(`${url}/metrics`)).text(),
  }));
  expect(logs.map((path) => basename(path))).toEqual(
    expect.arrayContaining([
      'gateway.log',
      'jobs.log',
      'billing.log',
      'worker.log',
      'webhooks.log',
      'migrate-gateway.log',
    ]),
  );
  expect(new Set(collector.spans.map((span) => span.service))).toEqual(
    new Set(['gateway', 'jobs', 'billing', 'worker', 'webhooks']),
  );
  return [
    ...logs.map((path) => ({ where: basename(path), text: readFileSync(path, 'utf8') })),
    ...(await Promise.all(metrics)),
    { where: 'the traces', text: collector.exported.join('\n') },
  ];
}
