import { randomUUID } from 'node:crypto';
import {
  AddCredit,
  CaptureForJob,
  CheckLedger,
  GetAccountSummary,
  HoldForJob,
  OpenAccount,
  ReleaseForJob,
} from '@currawong/contracts';
import { migrate } from '@currawong/database';
import { connectMessaging, type MessagingConnection, NatsStrategy, Requester } from '@currawong/messaging';
import { type FreshDatabase, freshDatabase, type FreshNats, freshNats } from '@currawong/testing';
import type { INestMicroservice } from '@nestjs/common';
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
let ofBilling: MessagingConnection;
let ofJobs: MessagingConnection;
let service: INestMicroservice;
let jobs: Requester;
beforeAll(async () => {
  [database, nats] = await Promise.all([freshDatabase(), freshNats()]);
  await migrate({ ...BILLING_SCHEMA, url: database.url });
  ofBilling = await connectMessaging({ url: nats.url, name: 'billing' });
  ofJobs = await connectMessaging({ url: nats.url, name: 'jobs' });
  jobs = new Requester(ofJobs);
  const config = billingEnvironment.parse({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: '2' });
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
