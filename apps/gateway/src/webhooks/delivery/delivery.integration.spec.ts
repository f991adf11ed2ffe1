import type { EndedJob, Owner, WebhookDeliveryDetail } from '@currawong/contracts';
import {
  createDataSource,
  migrate,
  row,
  rows,
  type DataSource,
  type EntityManager,
} from '@currawong/database';
import { parseRange } from '@currawong/outbound';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { v7 as uuidv7 } from 'uuid';
import { ACCOUNTS_SCHEMA } from '../../accounts/database';
import { OPERATOR } from '../../accounts/audit/audit-log';
import { CallbackUrls } from '../callback-urls';
import { Deliveries } from '../deliveries';
import { Endpoints } from '../endpoints';
import { currentSecret, rotateSecret, signingSecrets } from '../secrets';
import { Claims } from './claims';
import type { WebhooksConfig } from './config';
import { DeliveryRounds } from './delivery-rounds';
import { Pruning } from './pruning';
import { Sender } from './sender';
import { TestReceiver } from './test-receiver';

jest.setTimeout(60_000);

const OUTBOUND_ALLOWED_ADDRESSES = [parseRange('127.0.0.1')];
const SETTINGS = {
  OUTBOUND_ALLOWED_ADDRESSES,
  WEBHOOK_TIMEOUT_SECONDS: 1,
  WEBHOOK_RETRY_SECONDS: [0.2, 0.4],
  WEBHOOK_CONCURRENCY: 20,
  WEBHOOK_CONCURRENCY_PER_RECEIVER: 4,
  WEBHOOK_POLL_SECONDS: 0.05,
} as WebhooksConfig;

let database: FreshDatabase;
let source: DataSource;
let deliveries: Deliveries;
let endpoints: Endpoints;
beforeAll(async () => {
  Logger.overrideLogger(['warn', 'error']);
  database = await freshDatabase();
  await migrate({ ...ACCOUNTS_SCHEMA, url: database.url });
  source = await createDataSource({ ...ACCOUNTS_SCHEMA, url: database.url }).initialize();
  deliveries = new Deliveries(source);
  endpoints = new Endpoints(source, new CallbackUrls({ OUTBOUND_ALLOWED_ADDRESSES }));
});
afterAll(async () => {
  await source?.destroy();
  await database?.drop();
});

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await source.query('DELETE FROM webhook_deliveries');
});

async function receiver(...answer: Parameters<typeof TestReceiver.open>): Promise<TestReceiver> {
  const opened = await TestReceiver.open(...answer);
  open.push(opened);
  return opened;
}

async function newAccount(url?: string): Promise<Owner> {
  const account_id = uuidv7();
  await source.query('INSERT INTO accounts (id, email) VALUES ($1, $2)', [
    account_id,
    `${account_id}@example.com`,
  ]);
  if (url !== undefined) expect(await endpoints.set(account_id, url, OPERATOR)).toMatchObject({ ok: true });
  return { account_id, mode: 'live' };
}

function endedJob({ account_id, mode }: Owner, webhook_url: string | null = null): EndedJob {
  const at = new Date().toISOString();
  return {
    ...{ job_id: uuidv7(), account_id, mode, status: 'completed', language: 'en', webhook_url },
    ...{ audio_duration_seconds: 90, error_message: null, created_at: at, completed_at: at },
    ...{ cost_micro_aud: 15_000, num_speakers: null, analysis: null },
  };
}

/** A process that delivers, as main.webhooks.ts has one. */
function startDelivering(settings: Partial<WebhooksConfig> = {}): DeliveryRounds {
  const config = { ...SETTINGS, ...settings };
  const claims = new Claims(source, config);
  const rounds = new DeliveryRounds(claims, new Sender(source, claims, config), config);
  rounds.onApplicationBootstrap();
  open.unshift({ close: () => rounds.beforeApplicationShutdown() });
  return rounds;
}

async function ended(owner: Owner, id: string): Promise<WebhookDeliveryDetail> {
  for (let waited = 0; waited < 20_000; waited += 25) {
    const delivery = await deliveries.show(owner, id);
    if (delivery && delivery.status !== 'pending') return delivery;
    await sleep(25);
  }
  throw new Error('the delivery did not end');
}

async function deliver(owner: Owner, job = endedJob(owner)): Promise<WebhookDeliveryDetail> {
  await deliveries.write([job]);
  const { deliveries: found } = await deliveries.list(owner, { page: 1, page_size: 1, job_id: job.job_id });
  return ended(owner, found[0]!.id);
}

const codes = (delivery: WebhookDeliveryDetail) =>
  delivery.attempts.map(({ status_code, error }) => status_code ?? error);

describe('what a receiver gets', () => {
  it('is signed so that the library of the standard takes it, and has the facts of the job and no names', async () => {
    const hook = await receiver();
    const owner = await newAccount(`${hook.url}/hook?token=1`);
    startDelivering();
    const job = endedJob(owner);
    const delivery = await deliver(owner, job);
    const [received] = hook.received;
    const { secret } = await endpoints.showSecret(owner.account_id, OPERATOR);
    const event = new Webhook(secret).verify(received!.body, received!.headers as Record<string, string>);
    expect(event).toEqual({
      type: 'job.completed',
      timestamp: job.completed_at,
      data: {
        ...{ id: job.job_id, status: 'completed', mode: 'live', language: 'en', audio_duration_seconds: 90 },
        ...{ audio_duration_minutes: 1.5, error_message: null, cost_aud: 0.015, num_speakers: null },
        ...{ analysis: null, created_at: job.created_at, completed_at: job.completed_at },
      },
    });
    expect([received!.path, received!.headers['content-type']]).toEqual([
      '/hook?token=1',
      'application/json',
    ]);
    expect(received!.headers['webhook-id']).toBe(delivery.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1, last_status_code: 200 });
    expect(delivery.attempts).toEqual([
      expect.objectContaining({ number: 1, status_code: 200, error: null, answer: 'thanks' }),
    ]);
  });

  it('keeps its id and its bytes over retries', async () => {
    const hook = await receiver((response, _received, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(count === 1 ? 'oops\u0007' : 'ok'),
    );
    const owner = await newAccount(hook.url);
    startDelivering();
    const delivery = await deliver(owner);
    expect(codes(delivery)).toEqual([500, 200]);
    expect(delivery.attempts[0]!.answer).toBe('oops');
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery.id]),
    );
  });

  it('is signed with both secrets for a day after a rotation', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    const old = await endpoints.showSecret(owner.account_id, OPERATOR);
    const current = await endpoints.rotateSecret(owner.account_id, OPERATOR);
    expect(current.secret).not.toBe(old.secret);
    expect(Date.parse(current.previous_expires_at!) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    startDelivering();
    await deliver(owner);
    const { body, headers } = hook.received[0]!;
    for (const secret of [old.secret, current.secret])
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
    await source.query('UPDATE webhook_secrets SET expires_at = now() WHERE expires_at IS NOT NULL');
    await deliver(owner);
    expect(hook.received[1]!.headers['webhook-signature']).not.toContain(' ');
  });

  it('is signed with the secret of before and one new one where two rotated at once', async () => {
    const { account_id } = await newAccount();
    const before = await endpoints.showSecret(account_id, OPERATOR);
    let second: Promise<unknown> | undefined;
    const first = await source.transaction(async (manager) => {
      await manager.query('SELECT FROM webhook_secrets WHERE account_id = $1 FOR UPDATE', [account_id]);
      second = endpoints.rotateSecret(account_id, OPERATOR);
      await waiting(1);
      await rotateSecret(manager, account_id);
      return currentSecret(manager, account_id);
    });
    expect(await second).toEqual(first);
    const signing = await signingSecrets(source, [account_id]);
    expect(signing.get(account_id)).toEqual([first.secret, before.secret]);
  });

  it('goes to the address of the job where it has one, and nowhere where there is none', async () => {
    const [own, other] = [await receiver(), await receiver()];
    const owner = await newAccount(own.url);
    startDelivering();
    expect(await deliver(owner, endedJob(owner, other.url))).toMatchObject({ url: other.url });
    expect([own.received.length, other.received.length]).toEqual([0, 1]);
    const without = await newAccount();
    await deliveries.write([endedJob(without)]);
    expect(await deliveries.list(without, { page: 1, page_size: 20 })).toEqual({ deliveries: [], total: 0 });
  });

  it('is one message however often the end of the job is told', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    startDelivering();
    const job = endedJob(owner);
    await Promise.all([deliveries.write([job]), deliveries.write([job, endedJob(owner)])]);
    await deliver(owner, job);
    await sleep(300);
    expect(hook.received.length).toBe(2);
  });
});

describe('a receiver that', () => {
  it.each([
    ['hangs', () => undefined, 'it did not answer within 1 s'],
    ['closes early', (response) => response.destroy(), 'it closed the connection'],
    [
      'trickles its answer',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('.'), 100);
        response.on('close', () => clearInterval(timer));
      },
      'it did not answer within 1 s',
    ],
  ] as [string, Parameters<typeof TestReceiver.open>[0], string][])(
    '%s has failed',
    async (_what, answer, error) => {
      const hook = await receiver(answer);
      const owner = await newAccount(hook.url);
      startDelivering({ WEBHOOK_RETRY_SECONDS: [0.1] });
      const delivery = await deliver(owner);
      expect(delivery.status).toBe('failed');
      expect(codes(delivery)).toEqual([error, error]);
    },
  );

  it('answers with a huge body is read no further than its beginning, as text', async () => {
    const hook = await receiver((response) => {
      const more = () => {
        while (response.write('<b>\u001b[31mx'.repeat(5_000)));
        response.once('drain', more);
      };
      more();
    });
    const owner = await newAccount(hook.url);
    startDelivering();
    const delivery = await deliver(owner);
    expect(delivery.status).toBe('delivered');
    expect(delivery.attempts[0]!.answer.length).toBe(1_000);
    expect(delivery.attempts[0]!.answer).not.toContain('\u001b');
  });

  it('redirects, to a private address or to itself, is not followed', async () => {
    const secret = await receiver();
    for (const location of [`${secret.url}/admin`, 'http://169.254.169.254/latest', '/']) {
      const hook = await receiver((response) => response.writeHead(307, { location }).end());
      const owner = await newAccount(hook.url);
      startDelivering({ WEBHOOK_RETRY_SECONDS: [] });
      const delivery = await deliver(owner);
      expect([delivery.status, codes(delivery), hook.received.length]).toEqual(['failed', [307], 1]);
    }
    expect(secret.received).toEqual([]);
  });

  it('asks for time with 429 gets it', async () => {
    const hook = await receiver((response, _received, count) =>
      count === 1 ? response.writeHead(429, { 'retry-after': '2' }).end() : response.end(),
    );
    const owner = await newAccount(hook.url);
    startDelivering();
    const delivery = await deliver(owner);
    expect(codes(delivery)).toEqual([429, 200]);
    expect(hook.received[1]!.at - hook.received[0]!.at).toBeGreaterThan(1_950);
  });

  it('answers 410 is sent nothing more, and what waits for it ends', async () => {
    const hook = await receiver((response) => response.writeHead(410).end());
    const owner = await newAccount(hook.url);
    const waiting = endedJob(owner);
    await deliveries.write([waiting]);
    await source.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour'`);
    startDelivering();
    const delivery = await deliver(owner);
    expect([delivery.status, codes(delivery)]).toEqual(['failed', [410]]);
    expect(await endpoints.settings(owner.account_id)).toMatchObject({ url: hook.url, disabled: true });
    const other = (await deliveries.list(owner, { page: 1, page_size: 5, job_id: waiting.job_id }))
      .deliveries[0];
    expect(other).toMatchObject({
      status: 'failed',
      attempt_count: 0,
      last_error: expect.stringContaining('410'),
    });
    await deliveries.write([endedJob(owner)]);
    expect((await deliveries.list(owner, { page: 1, page_size: 5 })).total).toBe(2);
    await endpoints.set(owner.account_id, hook.url, OPERATOR);
    expect(await endpoints.settings(owner.account_id)).toMatchObject({ disabled: false });
  });

  it('answers 410 at an address that one job named leaves the account’s own in use', async () => {
    const [own, gone] = [await receiver(), await receiver((response) => response.writeHead(410).end())];
    const owner = await newAccount(own.url);
    startDelivering();
    expect((await deliver(owner, endedJob(owner, gone.url))).status).toBe('failed');
    expect(await endpoints.settings(owner.account_id)).toMatchObject({ disabled: false });
  });

  it('moved to an address that is not public is not called', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    startDelivering({ OUTBOUND_ALLOWED_ADDRESSES: [], WEBHOOK_RETRY_SECONDS: [] });
    const delivery = await deliver(owner);
    expect([delivery.status, codes(delivery)]).toEqual(['failed', ['must start with https://']]);
    expect(hook.received).toEqual([]);
  });
});

describe('an address that changes', () => {
  it('gets what is still pending', async () => {
    const [before, after] = [await receiver((response) => response.writeHead(500).end()), await receiver()];
    const owner = await newAccount(before.url);
    const job = endedJob(owner);
    await deliveries.write([job]);
    await endpoints.set(owner.account_id, after.url, OPERATOR);
    startDelivering();
    expect(await deliver(owner, job)).toMatchObject({ status: 'delivered', url: after.url });
    expect(before.received).toEqual([]);
  });

  it('gets what its predecessor wants no more of, also where that was asked already', async () => {
    const after = await receiver();
    const before = await receiver((response) => {
      void endpoints.set(owner.account_id, after.url, OPERATOR).then(() => response.writeHead(410).end());
    });
    const owner = await newAccount(before.url);
    startDelivering();
    const delivery = await deliver(owner);
    expect([delivery.status, delivery.url, codes(delivery)]).toEqual(['delivered', after.url, [410, 200]]);
    expect(await endpoints.settings(owner.account_id)).toMatchObject({ url: after.url, disabled: false });
  });

  it('is waited for by nobody who delivers: what is being changed is passed by', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    const [held, free] = [endedJob(owner), endedJob(owner)];
    await deliveries.write([held, free]);
    const changing = source.createQueryRunner();
    await changing.startTransaction();
    try {
      await changing.query('SELECT FROM webhook_deliveries WHERE job_id = $1 FOR UPDATE', [held.job_id]);
      startDelivering();
      expect((await deliver(owner, free)).status).toBe('delivered');
    } finally {
      await changing.commitTransaction();
      await changing.release();
    }
    expect((await deliver(owner, held)).status).toBe('delivered');
  });

  it('to none ends what is still pending', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    const job = endedJob(owner);
    await deliveries.write([job]);
    await endpoints.set(owner.account_id, null, OPERATOR);
    startDelivering();
    expect(await deliver(owner, job)).toMatchObject({ status: 'failed', attempt_count: 0 });
    expect(hook.received).toEqual([]);
  });

  it('to none while a delivery to it is being written ends that one too', async () => {
    const owner = await newAccount((await receiver()).url);
    const holding = source.createQueryRunner();
    await holding.startTransaction();
    let written: Promise<void> | undefined;
    let removed: Promise<unknown> | undefined;
    try {
      // Whoever writes waits here: the address has been read, and the delivery is not there yet.
      await holding.query('LOCK TABLE webhook_secrets IN EXCLUSIVE MODE');
      written = deliveries.write([endedJob(owner)]);
      await waiting(1);
      removed = endpoints.set(owner.account_id, null, OPERATOR);
      await Promise.race([removed, waiting(2)]);
    } finally {
      await holding.commitTransaction();
      await holding.release();
    }
    await Promise.all([written, removed]);
    const found = await deliveries.list(owner, { page: 1, page_size: 5 });
    expect(found.deliveries.map(({ status }) => status)).toEqual(['failed']);
  });
});

/** Settles when so many transactions wait for a lock. */
async function waiting(count: number): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    const found = await row<{ n: number }>(
      source,
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (found!.n >= count) return;
    await sleep(20);
  }
  throw new Error(`there were never ${count} transactions that waited`);
}

describe('a replay', () => {
  it('sends the same message once more under its id, and a failure ends it again', async () => {
    const hook = await receiver((response, _received, count) =>
      response.writeHead(count === 1 ? 200 : 500).end(),
    );
    const owner = await newAccount(hook.url);
    startDelivering();
    const { id } = await deliver(owner);
    expect(await deliveries.replay(owner, id)).toBe(true);
    const replayed = await ended(owner, id);
    expect([replayed.status, codes(replayed)]).toEqual(['failed', [200, 500]]);
    expect(hook.received[1]!.body).toBe(hook.received[0]!.body);
    expect(hook.received[1]!.headers['webhook-id']).toBe(id);
  });

  it('of another account, or of the other mode, does nothing', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    startDelivering();
    const { id } = await deliver(owner);
    for (const other of [await newAccount(), { ...owner, mode: 'test' as const }]) {
      expect(await deliveries.replay(other, id)).toBe(false);
      expect(await deliveries.show(other, id)).toBeUndefined();
      expect((await deliveries.list(other, { page: 1, page_size: 5 })).total).toBe(0);
    }
    await sleep(200);
    expect(hook.received.length).toBe(1);
  });
});

function pendingAtOriginsOfTheirOwn({ account_id }: Owner, count: number, dueIn: string): Promise<unknown> {
  return source.query(
    `INSERT INTO webhook_deliveries (id, account_id, mode, type, url, origin, is_default, body, next_attempt_at)
     SELECT gen_random_uuid(), $1, 'live', 'job.completed', 'https://dead' || n || '.example/',
            'https://dead' || n || '.example', false, '{}', now() + $3::interval
       FROM generate_series(1, $2) AS n`,
    [account_id, count, dueIn],
  );
}

/** One claim, the origins that it found, and how often it went into an index for that. */
async function claimCounted({ account_id }: Owner): Promise<{ claimed: string[]; indexScans: number }> {
  let indexScans = NaN;
  const counting = {
    transaction: <T>(work: (manager: EntityManager) => Promise<T>) =>
      source.transaction(async (manager) => {
        const result = await work(manager);
        const stats = await row<{ n: number }>(
          manager,
          `SELECT idx_scan::int AS n FROM pg_stat_xact_user_tables WHERE relid = 'webhook_deliveries'::regclass`,
        );
        indexScans = stats!.n;
        return result;
      }),
  } as DataSource;
  const claimed = await new Claims(counting, { ...SETTINGS, WEBHOOK_CONCURRENCY: 40 }).claim(10);
  expect(claimed.every((one) => one.account_id === account_id)).toBe(true);
  return { claimed: claimed.map(({ origin }) => origin), indexScans };
}

describe('receivers beside one another', () => {
  it('one that hangs, with 200 deliveries, does not delay another account’s', async () => {
    const hanging = await receiver(() => undefined);
    const [slow, quick] = [await newAccount(hanging.url), await newAccount()];
    const hook = await receiver();
    await endpoints.set(quick.account_id, hook.url, OPERATOR);
    await deliveries.write(Array.from({ length: 200 }, () => endedJob(slow)));
    startDelivering();
    while (hanging.received.length < 4) await sleep(10);
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      const began = performance.now();
      await deliver(quick);
      waits.push(performance.now() - began);
    }
    // Attempts at the hanging one take 1 s each, and those 200 deliveries 50 s one after the other in four places.
    console.info(`deliveries beside a receiver that hangs took ${waits.map(Math.round).join(', ')} ms`);
    expect(Math.max(...waits)).toBeLessThan(5_000);
    expect(hanging.received.length).toBeLessThan(40);
  });

  it('an account with many addresses that hang leaves places for others', async () => {
    const slow = await newAccount();
    const hanging = await Promise.all(Array.from({ length: 12 }, () => receiver(() => undefined)));
    await deliveries.write(hanging.flatMap(({ url }) => [1, 2, 3, 4].map(() => endedJob(slow, url))));
    const hook = await receiver();
    const quick = await newAccount(hook.url);
    startDelivering();
    while (hanging.every(({ received }) => received.length === 0)) await sleep(10);
    const underWay = await row<{ n: number }>(
      source,
      'SELECT count(*)::int AS n FROM webhook_deliveries WHERE claim_id IS NOT NULL',
    );
    expect(underWay!.n).toBeLessThanOrEqual(5);
    const began = performance.now();
    await deliver(quick);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('thousands that have failed and wait for their time cost nothing when others are due', async () => {
    const owner = await newAccount();
    await pendingAtOriginsOfTheirOwn(owner, 5_000, '1 hour');
    await deliveries.write([endedJob(owner, 'https://due.example/')]);
    const { claimed, indexScans } = await claimCounted(owner);
    expect(claimed).toEqual(['https://due.example']);
    expect(indexScans).toBeLessThan(20);
  });

  it('behind a backlog of one receiver that hangs, others are found', async () => {
    const owner = await newAccount();
    await pendingAtOriginsOfTheirOwn(owner, 50, '1 hour');
    await deliveries.write(Array.from({ length: 1_100 }, () => endedJob(owner, 'https://hangs.example/')));
    await source.query(
      `UPDATE webhook_deliveries SET claim_id = gen_random_uuid(), claimed_until = now() + interval '1 hour'
        WHERE id IN (SELECT id FROM webhook_deliveries WHERE origin = 'https://hangs.example' LIMIT 4)`,
    );
    await deliveries.write([endedJob(owner, 'https://due.example/')]);
    expect((await claimCounted(owner)).claimed).toEqual(['https://due.example']);
  });

  it('two processes send everything once, and together keep to the places of a receiver', async () => {
    let most = 0;
    let now = 0;
    const hook = await receiver((response) => {
      most = Math.max(most, ++now);
      setTimeout(() => (now--, response.end()), 20);
    });
    const owner = await newAccount(hook.url);
    await deliveries.write(Array.from({ length: 100 }, () => endedJob(owner)));
    startDelivering();
    startDelivering();
    for (;;) {
      const left = await row<{ n: number }>(
        source,
        "SELECT count(*)::int AS n FROM webhook_deliveries WHERE state = 'pending'",
      );
      if (left!.n === 0) break;
      await sleep(50);
    }
    expect(hook.received.length).toBe(100);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
    expect(most).toBeLessThanOrEqual(4);
    // The state is kept a moment before the connection's end is seen here; each attempt has a row of its own.
    expect((await rows(source, 'SELECT 1 FROM webhook_attempts')).length).toBe(100);
  });
});

describe('a process that ends', () => {
  it('in order, gives back what it had begun, and nothing is counted', async () => {
    const hook = await receiver((response, _received, count) =>
      count === 1 ? undefined : void response.end(),
    );
    const owner = await newAccount(hook.url);
    const job = endedJob(owner);
    await deliveries.write([job]);
    const rounds = startDelivering({ WEBHOOK_TIMEOUT_SECONDS: 60 });
    while (hook.received.length === 0) await sleep(10);
    await rounds.beforeApplicationShutdown();
    startDelivering();
    const delivery = await deliver(owner, job);
    expect(codes(delivery)).toEqual([200]);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery.id]),
    );
  });

  it('without a word, leaves it to others once its lease is over', async () => {
    const hook = await receiver();
    const owner = await newAccount(hook.url);
    const job = endedJob(owner);
    await deliveries.write([job]);
    const [lost] = await new Claims(source, SETTINGS).claim(1);
    startDelivering();
    const began = performance.now();
    const delivery = await deliver(owner, job);
    expect(performance.now() - began).toBeGreaterThan(2_000);
    expect(codes(delivery)).toEqual([200]);
    const late = { durationMs: 1, statusCode: 500, error: null, answer: '' };
    expect(await new Claims(source, SETTINGS).settle(lost!, late, { kind: 'again', afterSeconds: 1 })).toBe(
      false,
    );
    expect(await deliveries.show(owner, delivery.id)).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
    });
  });
});

it('deliveries are removed 30 days after they were made, unless they are pending', async () => {
  const owner = await newAccount('https://93.184.215.14/');
  const jobs = [endedJob(owner), endedJob(owner), endedJob(owner)];
  await deliveries.write(jobs);
  await source.query(
    `UPDATE webhook_deliveries SET state = 'failed', ended_at = now() WHERE job_id = ANY($1)`,
    [[jobs[0]!.job_id, jobs[1]!.job_id]],
  );
  await source.query(
    `UPDATE webhook_deliveries SET created_at = now() - interval '31 days' WHERE job_id = ANY($1)`,
    [[jobs[0]!.job_id, jobs[2]!.job_id]],
  );
  await new Pruning(source).prune();
  const left = await rows<{ job_id: string }>(source, 'SELECT job_id FROM webhook_deliveries');
  expect(left.map(({ job_id }) => job_id).sort()).toEqual([jobs[1]!.job_id, jobs[2]!.job_id].sort());
});

it('of accounts that are closed nothing is told', async () => {
  const hook = await receiver();
  const owner = await newAccount(hook.url);
  await source.query(`UPDATE accounts SET state = 'closed' WHERE id = $1`, [owner.account_id]);
  await deliveries.write([endedJob(owner), endedJob({ account_id: uuidv7(), mode: 'live' }, hook.url)]);
  expect((await deliveries.list(owner, { page: 1, page_size: 5 })).total).toBe(0);
});

it('what is changed is in the audit log, without secrets and without the rest of the address', async () => {
  const owner = await newAccount('https://93.184.215.14/hook?token=secret');
  const { secret } = await endpoints.rotateSecret(owner.account_id, OPERATOR);
  await endpoints.showSecret(owner.account_id, OPERATOR);
  const log = await rows<{ action: string; detail: string | null }>(
    source,
    'SELECT action, detail FROM audit_log WHERE account_id = $1 ORDER BY id',
    [owner.account_id],
  );
  expect(log).toEqual([
    { action: 'webhook_changed', detail: 'https://93.184.215.14' },
    { action: 'webhook_secret_rotated', detail: null },
    { action: 'webhook_secret_shown', detail: null },
  ]);
  expect(JSON.stringify(log)).not.toContain(secret);
});
