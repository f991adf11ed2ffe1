import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AddCredit,
  BalanceLow,
  CaptureForJob,
  CheckLedger,
  GetAccountSummary,
  HoldForJob,
  OpenAccount,
  ListTopUps,
  type PayloadOf,
  ReleaseForJob,
  SetLowBalanceNotice,
  StartTopUp,
  TakePaymentEvent,
} from '@currawong/contracts';
import { DataSource, migrate } from '@currawong/database';
import {
  connectMessaging,
  Consumes,
  done,
  type MessagingConnection,
  NatsStrategy,
  type Outcome,
  Requester,
} from '@currawong/messaging';
import {
  type FreshDatabase,
  freshDatabase,
  type FreshNats,
  freshNats,
  startStripeServer,
  type StripeServer,
} from '@currawong/testing';
import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { loadPackageSync } from '@nestjs/common/internal';
import { NestFactory } from '@nestjs/core';
import * as microservices from '@nestjs/microservices';
import { register } from 'prom-client';
import { BillingModule } from './billing.module';
import { billingEnvironment } from './environment';
import { BILLING_SCHEMA } from './storage/database';
import { accepted, refusal } from './test-books';

// The service as the others see it: over real messages, with the module as main.ts builds it.
let database: FreshDatabase;
let nats: FreshNats;
let stripe: StripeServer;
let ofBilling: MessagingConnection;
let ofJobs: MessagingConnection;
let service: INestMicroservice;
let jobs: Requester;
beforeAll(async () => {
  [database, nats, stripe] = await Promise.all([freshDatabase(), freshNats(), startStripeServer()]);
  await migrate({ ...BILLING_SCHEMA, url: database.url });
  ofBilling = await connectMessaging({ url: nats.url, name: 'billing' });
  ofJobs = await connectMessaging({ url: nats.url, name: 'jobs' });
  jobs = new Requester(ofJobs);
  const settings = { DATABASE_URL: database.url, DATABASE_POOL_SIZE: '2', ...stripe.environment };
  const config = billingEnvironment.parse(settings);
  // Nest would fetch the package by import(), which Jest does not allow in CommonJS tests.
  loadPackageSync('@nestjs/microservices', 'tests', () => microservices);
  service = await NestFactory.createMicroservice<microservices.MicroserviceOptions>(
    BillingModule.with({ config, connection: ofBilling }),
    { strategy: new NatsStrategy({ connection: ofBilling }), logger: ['error', 'warn'], abortOnError: false },
  );
  await service.listen();
});
afterAll(async () => {
  await service?.close();
  await ofJobs?.close();
  await ofBilling?.close();
  await nats?.stop();
  await stripe?.stop();
  await database?.drop();
});

test('a job is held, captured and shown in the summary by way of messages', async () => {
  const [account_id, job_id, lost_job_id] = [randomUUID(), randomUUID(), randomUUID()];
  accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 60 }));
  const topUp = { kind: 'top_up', reason: 'card', reference: randomUUID() } as const;
  accepted(await jobs.ask(AddCredit, { account_id, amount_micro_aud: 10_000_000, ...topUp }));
  accepted(await jobs.ask(HoldForJob, { account_id, job_id, seconds: 120 }));
  accepted(await jobs.ask(HoldForJob, { account_id, job_id: lost_job_id, seconds: 600 }));
  expect(accepted(await jobs.ask(CaptureForJob, { job_id, seconds: 90 }))).toEqual({
    charged_micro_aud: 10_000,
    charged_free_seconds: 60,
  });
  accepted(await jobs.ask(ReleaseForJob, { account_id, job_id: lost_job_id, reason: 'cancelled' }));
  expect(accepted(await jobs.ask(GetAccountSummary, { account_id }))).toMatchObject({
    available_micro_aud: 9_990_000,
    held_micro_aud: 0,
    free_seconds_available: 0,
    total_used_micro_aud: 10_000,
    period_seconds_used: 90,
  });
  const findings = accepted(await jobs.ask(CheckLedger, {}));
  expect(findings).toMatchObject({ accounts: 1, open_holds: [], problems: [] });
});

test('a refusal arrives as a value with its words', async () => {
  const account_id = randomUUID();
  accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 0 }));
  const refused = refusal(await jobs.ask(HoldForJob, { account_id, job_id: randomUUID(), seconds: 60 }));
  expect(refused.code).toBe('insufficient_credit');
  expect(refused.detail).toContain('AUD 0.50');
});

test('of 60 requests at once for the credit of one job, exactly one is granted', async () => {
  const account_id = randomUUID();
  accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 60 }));
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => jobs.ask(HoldForJob, { account_id, job_id: randomUUID(), seconds: 60 })),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
});

test('what was booked, what was refused and what is still held can be seen in the metrics', async () => {
  const account_id = randomUUID();
  const value = async (name: string, labels = {}) => {
    const metric = await register.getSingleMetric(name)!.get();
    const found = metric.values.find(({ labels: has }) =>
      Object.entries(labels).every(([key, wanted]) => has[key] === wanted),
    );
    return found?.value ?? 0;
  };
  const figures = async () => ({
    holds: await value('currawong_billing_transactions_total', { kind: 'hold' }),
    captures: await value('currawong_billing_transactions_total', { kind: 'capture' }),
    refusals: await value('currawong_billing_refusals_total', { code: 'insufficient_credit' }),
    open: await value('currawong_billing_open_holds'),
  });
  accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 180 }));
  const before = await figures();
  const [first, second] = [randomUUID(), randomUUID()];
  for (const job_id of [first, first, second]) {
    accepted(await jobs.ask(HoldForJob, { account_id, job_id, seconds: 90 }));
  }
  refusal(await jobs.ask(HoldForJob, { account_id, job_id: randomUUID(), seconds: 90 }));
  for (const job_id of [first, first]) accepted(await jobs.ask(CaptureForJob, { job_id, seconds: 90 }));
  expect(await figures()).toEqual({
    holds: before.holds + 2,
    captures: before.captures + 1,
    refusals: before.refusals + 1,
    open: before.open + 1,
  });
});

test('a top-up is started, paid and credited by way of messages', async () => {
  const account_id = randomUUID();
  accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 0 }));
  const wanted = { email: 'a@example.com', amount_micro_aud: 5_000_000, return_url: 'https://here.example/' };
  const topUp = accepted(await jobs.ask(StartTopUp, { account_id, ...wanted }));
  const sessionId = topUp.checkout_url!.split('/').at(-1)!;
  await stripe.pay(sessionId);
  const { body, signature } = stripe.event('checkout.session.completed', sessionId);
  const event = { body_base64: body.toString('base64'), signature };
  expect(accepted(await jobs.ask(TakePaymentEvent, event))).toEqual({ handled: true });
  expect(accepted(await jobs.ask(GetAccountSummary, { account_id })).available_micro_aud).toBe(5_000_000);
  const { top_ups } = accepted(await jobs.ask(ListTopUps, { account_id }));
  expect(top_ups).toMatchObject([{ id: topUp.id, state: 'paid' }]);
});

test('a low balance reaches whoever consumes the event, once, and the outbox is empty afterwards', async () => {
  const heard: PayloadOf<typeof BalanceLow>[] = [];
  @Controller()
  class Mail {
    @Consumes({ contracts: BalanceLow, durable: 'mail' })
    async tell(message: PayloadOf<typeof BalanceLow>): Promise<Outcome> {
      heard.push(message);
      return done();
    }
  }
  @Module({ controllers: [Mail] })
  class MailModule {}
  const listener = await NestFactory.createMicroservice<microservices.MicroserviceOptions>(MailModule, {
    strategy: new NatsStrategy({ connection: ofJobs }),
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  await listener.listen();
  try {
    const [account_id, job_id] = [randomUUID(), randomUUID()];
    accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 0 }));
    const credit = { kind: 'top_up', reason: 'test', reference: randomUUID() } as const;
    accepted(await jobs.ask(AddCredit, { account_id, amount_micro_aud: 1_000_000, ...credit }));
    accepted(await jobs.ask(SetLowBalanceNotice, { account_id, threshold_micro_aud: 990_000 }));
    accepted(await jobs.ask(HoldForJob, { account_id, job_id, seconds: 60 }));
    for (let index = 0; index < 2; index++) accepted(await jobs.ask(CaptureForJob, { job_id, seconds: 60 }));
    await until(async () => heard.length > 0 && (await outboxSize()) === 0);
    expect(heard).toEqual([{ account_id, available_micro_aud: 980_000, threshold_micro_aud: 990_000 }]);
  } finally {
    await listener.close();
  }
});

it('a threshold that arrives after a newer one changes nothing', async () => {
  const account_id = randomUUID();
  accepted(await jobs.ask(OpenAccount, { account_id, free_seconds: 0 }));
  const set = (threshold_micro_aud: number | null, revision: number) =>
    jobs.ask(SetLowBalanceNotice, { account_id, threshold_micro_aud, revision });
  for (const [threshold, revision] of [
    [1_000_000, 2],
    [null, 3],
    [1_000_000, 2],
  ] as const)
    accepted(await set(threshold, revision));
  const threshold = async () =>
    (
      await service
        .get(DataSource)
        .query('SELECT low_balance_threshold_micro_aud AS threshold FROM balances WHERE account_id = $1', [
          account_id,
        ])
    )[0].threshold;
  expect(await threshold()).toBeNull();
  accepted(await set(3_000_000, 4));
  expect(await threshold()).toBe('3000000');
});

async function outboxSize(): Promise<number> {
  const [counted] = await service.get(DataSource).query('SELECT count(*)::int AS size FROM outbox');
  return counted.size;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
