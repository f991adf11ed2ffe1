import { NATS_PERMISSIONS, SERVICES, type ServiceName } from '@currawong/contracts';
import { connectMessaging, createUserSeed, publicKeyOf } from '@currawong/messaging';
import { freshNats, startPlatform, type FreshNats, type TestPlatform } from '@currawong/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client';
import { wav } from './recordings';

jest.setTimeout(120_000);

const services = Object.keys(SERVICES) as ServiceName[];
/** A user that may do everything, as the operator of the broker has it. */
const users = [...services, 'operator'] as const;
type User = (typeof users)[number];
const seeds = Object.fromEntries(users.map((user) => [user, createUserSeed()])) as Record<User, string>;

let nats: FreshNats;
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  nats = await freshNats(authorization());
  platform = await startPlatform({
    nats,
    env: { RECOGNIZER: 'null', WORK_LEASE_SECONDS: '3', QUEUE_LEASE_SECONDS: '3' },
    envOf: Object.fromEntries(services.map((service) => [service, { NATS_NKEY_SEED: seeds[service] }])),
  });
  const { api_key } = await platform.admin<{ api_key: string }>(
    ...['account', 'create', '--email', 'a@example.com', '--free-minutes', '90'],
  );
  customer = new Client(platform.baseUrl, api_key);
});
afterAll(async () => {
  await platform?.stop();
  await nats?.stop();
});

test('recordings of one chunk and of several go through, and nobody asks for more than it may do', async () => {
  const short = await customer.submit({ name: 'short.wav', bytes: wav(20) });
  const long = await customer.submit({ name: 'long.wav', bytes: wav(600) });
  expect((await customer.finished(short)).status).toBe('completed');
  expect((await customer.finished(long)).status).toBe('completed');
  await platform.admin('ledger', 'check');
  await platform.admin('account', 'show', 'a@example.com');
  expectNoViolation();
});

test('a broker that has lost everything gets its streams back from their owner, and recordings go through', async () => {
  await nats.halt('SIGKILL');
  rmSync(nats.storeFolder, { recursive: true, force: true });
  await nats.resume();
  await platform.waitReady();
  const job = await customer.submit({ name: 'after.wav', bytes: wav(20) });
  expect((await customer.finished(job)).status).toBe('completed');
  expectNoViolation();
});

test('a consumer and a stream that somebody deletes are made again', async () => {
  const connection = await connectAs('operator', '_INBOX');
  const { consumers, streams } = await jetstreamManager(connection);
  await consumers.delete('CURRAWONG_WORK', 'work-speech');
  await consumers.delete('CURRAWONG_EVENTS', 'gateway-balance-low');
  await streams.delete('CURRAWONG_RESULTS');
  const first = await customer.submit({ name: 'one.wav', bytes: wav(20) });
  expect((await customer.finished(first)).status).toBe('completed');
  await streams.delete('CURRAWONG_WORK');
  const second = await customer.submit({ name: 'two.wav', bytes: wav(20) });
  expect((await customer.finished(second)).status).toBe('completed');
  await platform.waitReady();
  await connection.close();
  expectNoViolation();
});

describe('the broker refuses', () => {
  const publishing: [ServiceName, string, string][] = [
    ['worker', 'billing.capture_for_job', 'to charge an account'],
    ['worker', 'accounts.create', 'to make an account'],
    ['worker', 'jobs.get', 'to read a job'],
    ['worker', 'work.whole', 'to give work to others'],
    ['worker', 'events.job_changed', 'to tell of events'],
    ['worker', '$JS.API.STREAM.CREATE.CURRAWONG_WORK', 'to make a stream'],
    ['worker', '$JS.API.STREAM.UPDATE.CURRAWONG_WORK', 'to change what a stream collects'],
    ['worker', '$JS.API.STREAM.DELETE.CURRAWONG_WORK', 'to delete a stream'],
    ['worker', '$JS.API.STREAM.MSG.GET.CURRAWONG_EVENTS', 'to read a stored event'],
    ['worker', '$JS.API.CONSUMER.DURABLE.CREATE.CURRAWONG_EVENTS.spy', 'to consume events'],
    ['worker', '$JS.API.CONSUMER.CREATE.CURRAWONG_EVENTS', 'to consume events by another call'],
    ['worker', '$JS.API.CONSUMER.MSG.NEXT.CURRAWONG_RESULTS.jobs-results', 'to take results away'],
    ['worker', '_INBOX_gateway.forged', 'to answer in place of another'],
    ['gateway', 'billing.capture_for_job', 'to charge an account'],
    ['gateway', 'billing.release_for_job', 'to give a hold back'],
    ['gateway', 'results.work_finished', 'to make up a result'],
    ['gateway', 'work.whole', 'to give work'],
    ['gateway', '$JS.API.STREAM.PURGE.CURRAWONG_WORK', 'to empty a stream'],
    ['billing', 'jobs.submit', 'to submit a job'],
    ['billing', 'accounts.set_password', 'to set a password'],
    ['billing', 'results.work_finished', 'to make up a result'],
    ['jobs', 'billing.add_credit', 'to give credit'],
    ['jobs', 'accounts.create_key', 'to make a key'],
    ['jobs', '$JS.API.STREAM.DELETE.CURRAWONG_WORK', 'to delete a stream'],
    ['admin', 'billing.capture_for_job', 'to charge an account'],
    ['admin', 'jobs.submit', 'to submit a job'],
    ['admin', 'results.work_finished', 'to make up a result'],
    ['admin', '$JS.API.STREAM.NAMES', 'to list the streams'],
  ];
  test.each(publishing)('%s on %s: %s', async (service, subject) => {
    await withConnection(service, async (connection, problems) => {
      connection.publish(subject, '{}');
      await connection.flush();
      await until(() => problems.length > 0);
      expect(problems.join()).toMatch(/Permissions Violation for Publish/);
    });
  });

  const hearing: [ServiceName, string, string][] = [
    ['worker', '>', 'to hear everything'],
    ['worker', 'events.>', 'to hear events'],
    ['worker', '_INBOX_gateway.>', 'to read answers to the gateway'],
    ['worker', '_INBOX.>', 'to read answers to whoever has no prefix'],
    ['worker', 'jobs.claim_work', 'to answer claims'],
    ['gateway', 'billing.>', 'to hear questions about money'],
    ['gateway', '_INBOX_admin.>', 'to read answers to the operator'],
    ['billing', 'accounts.create', 'to answer in place of the gateway'],
    ['jobs', 'billing.hold_for_job', 'to answer in place of billing'],
    ['admin', 'accounts.show', 'to answer in place of the gateway'],
    ['admin', '_INBOX_billing.>', 'to read answers to billing'],
  ];
  test.each(hearing)('%s listening on %s: %s', async (service, subject) => {
    await withConnection(service, async (connection, problems) => {
      connection.subscribe(subject, { callback: () => undefined });
      await connection.flush();
      await until(() => problems.length > 0);
      expect(problems.join()).toMatch(/Permissions Violation for Subscription/);
    });
  });

  test('all of that where the tests above look for it: in its log', () => {
    expect(nats.log()).toMatch(/Publish Violation/);
    expect(nats.log()).toMatch(/Subscription Violation/);
  });

  test('a seed that it does not know, with a sentence that says what to do', async () => {
    const seed = createUserSeed();
    const stranger = connectMessaging({ url: nats.url, nkeySeed: seed, name: 'stranger' });
    await expect(stranger).rejects.toThrow(
      `it has no user with the public key of NATS_NKEY_SEED, ${publicKeyOf(seed)}`,
    );
  });
});

async function withConnection(
  service: ServiceName,
  work: (connection: NatsConnection, problems: string[]) => Promise<void>,
): Promise<void> {
  const connection = await connectAs(service, `_INBOX_${service}`);
  const problems: string[] = [];
  void (async () => {
    for await (const change of connection.status())
      if (change.type === 'error') problems.push(change.error.message);
  })();
  try {
    await work(connection, problems);
  } finally {
    await connection.close();
  }
}

function connectAs(user: User, inboxPrefix: string): Promise<NatsConnection> {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seeds[user]));
  return connect({ servers: new URL(nats.url).host, authenticator, inboxPrefix, timeout: 20_000 });
}

function authorization(): string {
  const lines = users.map((user) => {
    const permissions = user === 'operator' ? undefined : NATS_PERMISSIONS[user];
    return `{ nkey: ${publicKeyOf(seeds[user])}${permissions ? `, permissions: ${JSON.stringify(permissions)}` : ''} }`;
  });
  return `authorization { users: [\n${lines.join(',\n')}\n] }`;
}

function expectNoViolation(): void {
  const violations = (text: string) => text.split('\n').filter((line) => /\bviolation\b/i.test(line));
  expect(violations(nats.log())).toEqual([]);
  for (const name of Object.keys(platform.metricsUrls)) expect(violations(platform.logs(name))).toEqual([]);
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !condition(); tries++) await sleep(20);
}
