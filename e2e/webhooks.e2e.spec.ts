import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually, Person, query } from './accounts/person';
import { Client, newCustomer } from './client';
import { wav } from './recordings';

jest.setTimeout(90_000);

const SERVICES = ['billing', 'jobs', 'worker', 'gateway'];
const PROCESSES = ['webhooks', 'webhooks-2'];

let platform: TestPlatform;
let person: Person;
let client: Client;
let accountId: string;
beforeAll(async () => {
  platform = await startPlatform({
    services: [...SERVICES, ...PROCESSES],
    env: {
      RECOGNIZER: 'null',
      SWEEP_INTERVAL_SECONDS: '0.2',
      OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32',
      WEBHOOK_TIMEOUT_SECONDS: '5',
      WEBHOOK_RETRY_SECONDS: '0.5,0.5,1,1,2,2',
      WEBHOOK_POLL_SECONDS: '0.2',
    },
  });
  person = new Person(platform.baseUrl);
  accountId = (await person.signUp()).id;
  client = new Client(platform.baseUrl, (await person.createKey()).api_key);
}, 120_000);
afterAll(async () => {
  for (const server of servers) server.close();
  await platform?.stop();
});

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

const servers: Server[] = [];

/** A receiver on this machine. @param answer 200 unless given; `count` is 1 for the first request */
async function receiver(
  answer: (response: ServerResponse, count: number) => void = (response) => void response.end('ok'),
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      answer(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const secretOf = async () =>
  String((await person.get<{ secret: string }>('/api/v1/webhooks/secret')).body.secret);
const verified = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    data: Record<string, unknown>;
  };
const set = (url: string | null) => person.send('PUT', '/api/v1/webhooks', { url });
const recording = { name: 'private name.wav', bytes: wav(2) };

interface Delivery extends Record<string, unknown> {
  id: string;
  status: string;
  job_id: string;
}
async function deliveriesOf(jobId: string, by: Client = client): Promise<Delivery[]> {
  const { body } = await by.get(`/api/v1/webhooks/deliveries?job_id=${jobId}`);
  return body['deliveries'] as Delivery[];
}
const delivered = (jobId: string, withinSeconds = 20) =>
  eventually(
    async () => (await deliveriesOf(jobId)).find(({ status }) => status === 'delivered'),
    `job ${jobId} is told`,
    withinSeconds,
  );

it('a job’s end is told once, signed, with its facts and no name, and is in the log', async () => {
  const hook = await receiver();
  expect((await set(hook.url)).body).toMatchObject({ url: hook.url, disabled: false });
  const id = await client.submit(recording);
  const delivery = await delivered(id);
  const event = verified(await secretOf(), hook.received[0]!);
  const { completed_at } = await client.job(id);
  expect(event).toMatchObject({
    type: 'job.completed',
    timestamp: completed_at,
    data: { id, status: 'completed', mode: 'live', audio_duration_seconds: 2, cost_aud: 0 },
  });
  expect(hook.received[0]!.body).not.toContain('private name');
  expect(hook.received[0]!.headers['webhook-id']).toBe(delivery.id);
  const { body } = await client.get(`/api/v1/webhooks/deliveries/${delivery.id}`);
  expect(body).toMatchObject({
    ...{ type: 'job.completed', job_id: id, status: 'delivered', attempt_count: 1 },
    attempts: [{ number: 1, status_code: 200, answer: 'ok', error: null }],
    payload: event,
  });
  // Both processes hear of it, and the stream's message stays after it was kept.
  expect(hook.received).toHaveLength(1);
  // What was confirmed is not told again.
  await eventually(async () => {
    const [job] = await query<{ announce_at: Date | null }>(
      platform.databaseUrl,
      'SELECT announce_at FROM jobs.jobs WHERE id = $1',
      [id],
    );
    return job?.announce_at === null;
  }, 'the end is confirmed');
});

it('a failure is told as well, and a replay sends the same once more', async () => {
  const hook = await receiver();
  await set(hook.url);
  const noise = Buffer.concat([wav(0).subarray(0, 44), Buffer.from('fmt '.repeat(20_000))]);
  noise.writeUInt32LE(80_000, 40);
  noise.writeUInt16LE(0x1234, 20); // a codec that nobody has
  const id = await client.submit({ name: 'broken.wav', bytes: noise });
  const { id: deliveryId } = await delivered(id);
  const { error_message } = await client.job(id);
  expect(verified(await secretOf(), hook.received[0]!)).toMatchObject({
    type: 'job.failed',
    data: { id, status: 'failed', error_message, audio_duration_seconds: null },
  });
  const replayed = await client.send('POST', `/api/v1/webhooks/deliveries/${deliveryId}/replay`);
  expect([replayed.status, replayed.body['id']]).toEqual([202, deliveryId]);
  await eventually(async () => hook.received.length === 2, 'the replay arrives');
  expect(hook.received[1]!.body).toBe(hook.received[0]!.body);
  expect(hook.received[1]!.headers['webhook-id']).toBe(deliveryId);
});

it('the address of a request wins, and one that leads inside is refused by name', async () => {
  const [own, other] = [await receiver(), await receiver()];
  await set(own.url);
  const id = await client.submit(recording, { webhook_url: other.url });
  await delivered(id);
  expect([own.received.length, other.received.length]).toEqual([0, 1]);
  for (const webhook_url of [
    ...['http://93.184.215.14/', 'https://10.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/'],
    ...['https://2852039166/', 'https://user:pass@127.0.0.1/', 'ftp://127.0.0.1/', 'nonsense'],
  ]) {
    const refused = await client.transcribe(recording, { webhook_url });
    expect([webhook_url, refused.status]).toEqual([webhook_url, 400]);
    expect(refused.body['detail']).toMatch(/^webhook_url: must /);
    const settings = await set(webhook_url);
    expect([settings.status, settings.body['detail']]).toEqual([400, expect.stringMatching(/^url: must /)]);
  }
});

it('a test says how it went, and rotated secrets sign side by side', async () => {
  await set(null);
  expect((await person.send('POST', '/api/v1/webhooks/test')).status).toBe(409);
  const hook = await receiver((response, count) => response.writeHead(count === 1 ? 500 : 204).end());
  await set(hook.url);
  const old = await secretOf();
  const failed = await person.send('POST', '/api/v1/webhooks/test');
  expect(failed.body).toMatchObject({ status: 'failed', type: 'webhook.test', last_status_code: 500 });
  const rotated = await person.send<{ secret: string }>('POST', '/api/v1/webhooks/secret/rotation');
  const passed = await person.send('POST', '/api/v1/webhooks/test');
  expect(passed.body).toMatchObject({ status: 'delivered', last_status_code: 204 });
  for (const secret of [old, rotated.body.secret])
    expect(verified(secret, hook.received[1]!)).toMatchObject({ type: 'webhook.test' });
  const log = await person.get<{ entries: { action: string }[] }>('/api/v1/account/audit-log');
  const actions = log.body.entries.map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining(['webhook_changed', 'webhook_secret_shown', 'webhook_secret_rotated']),
  );
});

it('what is somebody else’s, or of the other mode, is not there; keys neither set the address nor see the secret', async () => {
  const hook = await receiver();
  await set(hook.url);
  const { id } = await delivered(await client.submit(recording));
  const other = await newCustomer(platform);
  const testKey = new Client(platform.baseUrl, (await person.createKey('test', 'test')).api_key);
  for (const foreign of [other, testKey]) {
    expect((await foreign.get(`/api/v1/webhooks/deliveries/${id}`)).status).toBe(404);
    expect((await foreign.send('POST', `/api/v1/webhooks/deliveries/${id}/replay`)).status).toBe(404);
    expect((await foreign.get('/api/v1/webhooks/deliveries')).body['total']).toBe(0);
  }
  expect((await client.get('/api/v1/webhooks/deliveries/not-an-id')).status).toBe(404);
  for (const [method, path] of [
    ...[['GET', 'webhooks'] as const, ['PUT', 'webhooks'] as const, ['GET', 'webhooks/secret'] as const],
    ...[['POST', 'webhooks/secret/rotation'] as const, ['POST', 'webhooks/test'] as const],
  ])
    expect((await client.send(method, `/api/v1/${path}`)).status).toBe(401);
  const jobId = await testKey.submit(recording);
  await eventually(
    async () => (await deliveriesOf(jobId, testKey)).find(({ status }) => status === 'delivered'),
    'a test job is told',
  );
  expect(verified(await secretOf(), hook.received.at(-1)!).data).toMatchObject({ id: jobId, mode: 'test' });
  expect(await deliveriesOf(jobId)).toEqual([]);
});

it('a killed process’s attempts are made again under their ids', async () => {
  const hook = await receiver((response, count) => (count === 1 ? undefined : void response.end()));
  await set(hook.url);
  const id = await client.submit(recording);
  await eventually(async () => hook.received.length > 0, 'the first attempt');
  for (const name of PROCESSES) platform.kill(name, 'SIGKILL');
  const delivery = await delivered(id, 30);
  expect(new Set(hook.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.id]));
  expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
  expect(hook.received.length).toBe(2);
  await platform.waitReady(...PROCESSES);
});

it('what the broker lost is told nevertheless', async () => {
  const hook = await receiver();
  await set(hook.url);
  await Promise.all(PROCESSES.map((name) => platform.halt(name)));
  const id = await client.submit(recording);
  await client.finished(id);
  const { username, password, host } = new URL(platform.nats.url);
  const nats = await connect({ servers: host, user: username, pass: password });
  await (await jetstreamManager(nats)).streams.purge('CURRAWONG_EVENTS');
  await nats.close();
  await Promise.all(PROCESSES.map((name) => platform.resume(name)));
  expect(hook.received).toEqual([]);
  await delivered(id, 40);
  expect(hook.received).toHaveLength(1);
});

it('whoever runs the platform can set and read an account’s address', async () => {
  const hook = await receiver();
  const shown = await platform.admin<{ secret: string }>('webhook', 'set', accountId, '--url', hook.url);
  expect(shown).toMatchObject({ account_id: accountId, url: hook.url, disabled_at: null });
  await delivered(await client.submit(recording));
  expect(verified(shown.secret, hook.received[0]!)).toMatchObject({ type: 'job.completed' });
  expect(await platform.admin('webhook', 'set', accountId)).toMatchObject({ url: null });
  expect(await platform.admin('webhook', 'show', accountId)).toMatchObject({
    url: null,
    secret: shown.secret,
  });
});
