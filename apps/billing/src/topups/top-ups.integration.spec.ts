import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type FreshDatabase,
  freshDatabase,
  startStripeServer,
  type StripeEvent,
  type StripeServer,
} from '@currawong/testing';
import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { accepted, refusal, TestBooks } from '../test-books';
import { StripePayments } from './stripe';

let fresh: FreshDatabase;
let stripe: StripeServer;
let replicas: [TestBooks, TestBooks];
let books: TestBooks;
beforeAll(async () => {
  // What goes wrong here on purpose is told many times.
  Logger.overrideLogger(false);
  [fresh, stripe] = await Promise.all([freshDatabase(), startStripeServer()]);
  const open = () => TestBooks.open(fresh.url, { stripe: payments(stripe) });
  replicas = [await open(), await open()];
  books = replicas[0];
});
afterEach(async () => {
  stripe.setMood('well');
  expect(await books.problems()).toEqual([]);
});
afterAll(async () => {
  await Promise.all(replicas?.map((replica) => replica.close()) ?? []);
  await stripe?.stop();
  await fresh?.drop();
});

function payments({ environment }: StripeServer): StripePayments {
  return new StripePayments({
    secretKey: environment.STRIPE_SECRET_KEY,
    webhookSecret: environment.STRIPE_WEBHOOK_SECRET,
    apiUrl: environment.STRIPE_API_URL,
    timeoutMs: 1_000,
  });
}

const RETURN_URL = 'https://currawong.example/dashboard/billing?tab=credit';
const wanted = (account_id: string, amount_micro_aud = 25_000_000) => ({
  account_id,
  email: 'someone@example.com',
  amount_micro_aud,
  return_url: RETURN_URL,
});

/** A top-up with an open page, and the session behind it. */
async function started() {
  const account = await books.account();
  const topUp = accepted(await books.topUps.start(wanted(account)));
  const session = [...stripe.sessions.values()].find(({ metadata }) => metadata['top_up_id'] === topUp.id)!;
  return { account, topUp, session };
}

const take = ({ body, signature }: StripeEvent, replica = books) =>
  replica.topUps.take({ body_base64: body.toString('base64'), signature });
const stateOf = async (account_id: string) => {
  const [newest] = accepted(await books.topUps.list({ account_id })).top_ups;
  return newest?.state;
};
const balanceOf = async (account: string) => (await books.summary(account)).available_micro_aud;
const paid = (sessionId: string) => stripe.change(sessionId, { status: 'complete', payment_status: 'paid' });

async function counted(result: string): Promise<number> {
  const metric = await register.getSingleMetric('currawong_billing_payment_events_total')!.get();
  return metric.values.find(({ labels }) => labels['result'] === result)?.value ?? 0;
}

describe('starting a top-up', () => {
  test('gives a page for exactly the amount, which knows its top-up and the way back', async () => {
    const { account, topUp, session } = await started();
    expect(topUp).toEqual({
      id: expect.any(String),
      amount_aud: '25.00',
      state: 'open',
      created_at: expect.any(String),
      paid_at: null,
      checkout_url: session.url,
    });
    expect(session).toMatchObject({
      amount_total: 2_500,
      currency: 'aud',
      client_reference_id: topUp.id,
      customer_email: 'someone@example.com',
      metadata: { top_up_id: topUp.id, account_id: account },
      success_url: `${RETURN_URL}&top-up=${topUp.id}`,
      cancel_url: `${RETURN_URL}&top-up=${topUp.id}`,
    });
    expect(accepted(await books.topUps.list({ account_id: account }))).toEqual({
      available: true,
      minimum_aud: '5.00',
      maximum_aud: '1000.00',
      top_ups: [topUp],
    });
    expect(await balanceOf(account)).toBe(0);
  });

  test.each([
    ['less than the least', 4_990_000, 'amount_aud: must be from AUD 5.00 to AUD 1000.00'],
    ['more than the most', 1_000_010_000, 'amount_aud: must be from AUD 5.00 to AUD 1000.00'],
    ['a fraction of a cent', 5_000_001, 'amount_aud: must be in whole cents'],
  ])('of %s is refused, and nobody is asked for a page', async (_what, amount, sentence) => {
    const account = await books.account();
    const before = stripe.creations;
    expect(refusal(await books.topUps.start(wanted(account, amount)))).toEqual({
      code: 'invalid_parameter',
      detail: sentence,
    });
    expect(stripe.creations).toBe(before);
  });

  test.each([5_000_000, 1_000_000_000])('of a limit itself, %s micro-AUD, is allowed', async (amount) => {
    expect((await books.topUps.start(wanted(await books.account(), amount))).ok).toBe(true);
  });

  test('for an account without books is refused', async () => {
    expect(refusal(await books.topUps.start(wanted(randomUUID()))).code).toBe('account_not_found');
  });

  test('shows the newest twenty, the newest first', async () => {
    const account = await books.account();
    const ids: string[] = [];
    for (let index = 0; index < 21; index++) {
      ids.push(accepted(await books.topUps.start(wanted(account, 5_000_000 + index * 10_000))).id);
    }
    const { top_ups } = accepted(await books.topUps.list({ account_id: account }));
    expect(top_ups.map(({ id }) => id)).toEqual(ids.slice(1).reverse());
  });

  test('is refused where no payments are set up, and the list says so', async () => {
    const without = await TestBooks.open(fresh.url);
    try {
      const account = await without.account();
      expect(refusal(await without.topUps.start(wanted(account))).code).toBe('payments_unavailable');
      expect(accepted(await without.topUps.list({ account_id: account })).available).toBe(false);
      const { session } = await started();
      const event = stripe.event('checkout.session.completed', session.id);
      expect(refusal(await take(event, without)).code).toBe('payments_unavailable');
    } finally {
      await without.close();
    }
  });

  test.each(['down', 'gone'] as const)(
    'while the provider is %s is refused clearly, and leaves nothing that looks open',
    async (mood) => {
      const account = await books.account();
      stripe.setMood(mood);
      expect(refusal(await books.topUps.start(wanted(account)))).toEqual({
        code: 'unavailable',
        detail: 'The payment page could not be opened and nothing was charged. Try again in a moment.',
      });
      expect(accepted(await books.topUps.list({ account_id: account })).top_ups).toEqual([]);
      const rows = await books.source.query('SELECT state FROM top_ups WHERE account_id = $1', [account]);
      expect(rows).toEqual([{ state: 'failed' }]);
      stripe.setMood('well');
      expect((await books.topUps.start(wanted(account))).ok).toBe(true);
    },
  );

  test('gives up on a provider that does not answer, asks for one page only, and holds nobody else up', async () => {
    const account = await books.account({ freeSeconds: 60 });
    stripe.setMood('slow');
    const sessionsBefore = stripe.sessions.size;
    const start = books.topUps.start(wanted(account));
    expect((await books.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 1 })).ok).toBe(true);
    expect(refusal(await start).code).toBe('unavailable');
    // It was asked twice under one idempotency key.
    expect(stripe.sessions.size).toBe(sessionsBefore + 1);
    // Should the page be paid on all the same, the money is booked.
    const session = [...stripe.sessions.values()].at(-1)!;
    paid(session.id);
    accepted(await take(stripe.event('checkout.session.completed', session.id)));
    expect(await balanceOf(account)).toBe(25_000_000);
    expect(await stateOf(account)).toBe('paid');
  });
});

describe('a payment', () => {
  test('is credited when its event comes, with the top-up, and stands on the statement', async () => {
    const { account, topUp, session } = await started();
    paid(session.id);
    expect(accepted(await take(stripe.event('checkout.session.completed', session.id)))).toEqual({
      handled: true,
    });
    expect(await balanceOf(account)).toBe(25_000_000);
    expect(accepted(await books.topUps.list({ account_id: account })).top_ups).toEqual([
      { ...topUp, state: 'paid', paid_at: expect.any(String), checkout_url: null },
    ]);
    const { lines } = await books.statement(account, await books.thisMonth());
    expect(lines).toMatchObject([
      {
        kind: 'top_up',
        amount_aud: '25.000000',
        gst_aud: '2.27',
        description: 'Top-up of the prepaid credit, paid by card.',
      },
    ]);
  });

  test('whose 50 equal events come at once over two replicas is booked once', async () => {
    const { account, session } = await started();
    paid(session.id);
    const [bookedBefore, repeatedBefore] = [await counted('paid'), await counted('repeated')];
    const event = stripe.event('checkout.session.completed', session.id);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => take(event, replicas[index % 2])),
    );
    expect(answers.every((answer) => accepted(answer).handled)).toBe(true);
    expect(await balanceOf(account)).toBe(25_000_000);
    expect([await counted('paid'), await counted('repeated')]).toEqual([
      bookedBefore + 1,
      repeatedBefore + 49,
    ]);
  });

  const orders: [string, string[], string][] = [
    ['completed', ['completed', 'completed'], 'paid'],
    ['expired after completed', ['completed', 'expired'], 'paid'],
    ['completed after expired', ['expired', 'completed'], 'paid'],
    ['the late success of a bank transfer', ['completed unpaid', 'async_payment_succeeded'], 'paid'],
    ['success before completed', ['async_payment_succeeded', 'completed unpaid'], 'paid'],
    ['success, told by both events', ['async_payment_succeeded', 'completed'], 'paid'],
    ['failure before completed', ['async_payment_failed', 'completed unpaid'], 'failed'],
    ['failure after completed', ['completed unpaid', 'async_payment_failed'], 'failed'],
    ['failure after success', ['async_payment_succeeded', 'async_payment_failed'], 'paid'],
    ['success after failure', ['async_payment_failed', 'async_payment_succeeded'], 'paid'],
    ['only expired', ['expired', 'expired'], 'expired'],
    ['confirmed and on its way', ['completed unpaid'], 'open'],
  ];
  test.each(orders)('%s: %j ends as %s', async (_what, events, end) => {
    const { account, session } = await started();
    for (const told of events) {
      const [name, unpaid] = told.split(' ');
      const isPaid = unpaid === undefined && (name === 'completed' || name === 'async_payment_succeeded');
      stripe.change(session.id, {
        status: name === 'expired' ? 'expired' : 'complete',
        payment_status: isPaid ? 'paid' : 'unpaid',
      });
      expect(accepted(await take(stripe.event(`checkout.session.${name}`, session.id))).handled).toBe(true);
    }
    expect(await stateOf(account)).toBe(end);
    expect(await balanceOf(account)).toBe(end === 'paid' ? 25_000_000 : 0);
    const { top_ups } = accepted(await books.topUps.list({ account_id: account }));
    expect(top_ups[0]!.checkout_url).toBeNull();
  });

  test('told by both of its events at once is booked once', async () => {
    const { account, session } = await started();
    paid(session.id);
    await Promise.all(
      ['completed', 'async_payment_succeeded', 'expired'].map((name, index) =>
        take(stripe.event(`checkout.session.${name}`, session.id), replicas[index % 2]),
      ),
    );
    expect(await balanceOf(account)).toBe(25_000_000);
    expect(await stateOf(account)).toBe('paid');
  });

  test.each([
    ['another amount', { amount_total: 2_499 }],
    ['another currency', { currency: 'usd' }],
    ['nothing', { amount_total: 0, payment_status: 'no_payment_required' as const }],
  ])('of %s is not booked, but counted and left with its reason for the operator', async (_what, changes) => {
    const { account, session } = await started();
    paid(session.id);
    stripe.change(session.id, changes);
    const before = await counted('mismatch');
    const event = stripe.event('checkout.session.completed', session.id);
    expect(accepted(await take(event)).handled).toBe(true);
    expect(await balanceOf(account)).toBe(0);
    expect(await counted('mismatch')).toBe(before + 1);
    const [row] = await books.source.query('SELECT state, problem FROM top_ups WHERE session_id = $1', [
      session.id,
    ]);
    expect(row).toEqual({
      state: 'failed',
      problem: expect.stringContaining('2500 cents aud were asked for'),
    });
  });

  test('that the operator has booked by hand under its session is not booked again', async () => {
    const { account, session } = await started();
    const reference = `stripe:${session.id}`;
    const byHand = { account_id: account, kind: 'top_up', amount_micro_aud: 25_000_000, reference } as const;
    accepted(await books.credit.add({ ...byHand, reason: 'its event was lost' }));
    paid(session.id);
    const before = await counted('mismatch');
    accepted(await take(stripe.event('checkout.session.completed', session.id)));
    expect(await balanceOf(account)).toBe(25_000_000);
    expect(await counted('mismatch')).toBe(before + 1);
    // Nobody is asked about it again.
    expect(await stateOf(account)).toBe('failed');
  });

  test('is found by what its session carries where a crash kept us from noting the session', async () => {
    const { account, session } = await started();
    await books.source.query(
      `UPDATE top_ups SET state = 'starting', session_id = NULL, checkout_url = NULL WHERE session_id = $1`,
      [session.id],
    );
    paid(session.id);
    expect(accepted(await take(stripe.event('checkout.session.completed', session.id))).handled).toBe(true);
    expect(await balanceOf(account)).toBe(25_000_000);
    expect(await stateOf(account)).toBe('paid');
  });

  test('is found by its session where the event carries nothing else', async () => {
    const { account, session } = await started();
    paid(session.id);
    stripe.change(session.id, { metadata: {}, client_reference_id: null });
    accepted(await take(stripe.event('checkout.session.completed', session.id)));
    expect(await balanceOf(account)).toBe(25_000_000);
  });

  test('of something else that the same Stripe account sells is left alone', async () => {
    const { session } = await started();
    for (const changes of [
      { id: 'cs_other', metadata: {}, client_reference_id: null },
      { id: 'cs_other', metadata: { top_up_id: randomUUID() }, client_reference_id: 'cart 7' },
    ]) {
      const event = { type: 'checkout.session.completed', data: { object: { ...session, ...changes } } };
      expect(accepted(await take(stripe.sign(event))).handled).toBe(false);
    }
  });

  test('of a second session that claims the same top-up is not booked', async () => {
    const { account, session } = await started();
    const other = { ...session, id: 'cs_second', status: 'complete', payment_status: 'paid' };
    accepted(await take(stripe.sign({ type: 'checkout.session.completed', data: { object: other } })));
    expect(await balanceOf(account)).toBe(0);
    paid(session.id);
    accepted(await take(stripe.event('checkout.session.completed', session.id)));
    expect(await balanceOf(account)).toBe(25_000_000);
  });
});

test('whoever pays on the page is credited by the event that it sends, and comes back', async () => {
  const { account, session } = await started();
  // Stands for the gateway, which hands on the bytes as they came.
  const webhook = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const signature = String(request.headers['stripe-signature']);
      const taken = await take({ body: Buffer.concat(chunks), signature });
      response.writeHead(taken.ok ? 200 : 400).end();
    })();
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  try {
    stripe.sendEventsTo(`http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`);
    const url = session.url!;
    expect(await (await fetch(url)).text()).toContain('Pay AUD 25.00');
    const answer = await fetch(url, { method: 'POST', redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, session.success_url]);
    const told = { type: 'checkout.session.completed', sessionId: session.id, status: 200 };
    expect(stripe.deliveries).toContainEqual(told);
    expect(await balanceOf(account)).toBe(25_000_000);
    expect((await fetch(url)).status).toBe(404);
  } finally {
    webhook.closeAllConnections();
    await new Promise((resolve) => webhook.close(resolve));
  }
});

describe('an event', () => {
  const now = () => Math.floor(Date.now() / 1_000);
  test.each([
    ['signed with another secret', () => ({ secret: 'whsec_other' })],
    ['signed more than five minutes ago', () => ({ atSeconds: now() - 310 })],
  ])('%s is refused, whatever it says', async (_what, wishes) => {
    const { account, session } = await started();
    paid(session.id);
    const event = stripe.event('checkout.session.completed', session.id, wishes());
    expect(refusal(await take(event))).toEqual({
      code: 'invalid_parameter',
      detail: 'stripe-signature: the signature is wrong or too old',
    });
    expect(await balanceOf(account)).toBe(0);
  });

  test('of four minutes ago is still taken', async () => {
    const { account, session } = await started();
    paid(session.id);
    accepted(await take(stripe.event('checkout.session.completed', session.id, { atSeconds: now() - 240 })));
    expect(await balanceOf(account)).toBe(25_000_000);
  });

  test('changed by one byte after it was signed is refused', async () => {
    const { account, session } = await started();
    paid(session.id);
    const event = stripe.event('checkout.session.completed', session.id);
    const body = Buffer.from(event.body.toString().replace('2500', '9500'));
    expect(refusal(await take({ ...event, body })).code).toBe('invalid_parameter');
    expect(await balanceOf(account)).toBe(0);
  });

  test.each(['', 'nonsense', 't=1', 'v1=00', 't=,v1='])(
    'with the signature %j is refused',
    async (signature) => {
      const { session } = await started();
      const { body } = stripe.event('checkout.session.completed', session.id);
      expect(refusal(await take({ body, signature })).code).toBe('invalid_parameter');
    },
  );

  test.each([
    ['charge.refunded', 'refund', true],
    ['charge.dispute.created', 'dispute', true],
    ['customer.created', 'other', false],
  ])('%s moves no money: it is counted as %s', async (type, result, handled) => {
    const before = await counted(result);
    const event = { type, data: { object: { id: 'ch_1', amount: 2_500, payment_intent: 'pi_1' } } };
    expect(accepted(await take(stripe.sign(event)))).toEqual({ handled });
    expect(await counted(result)).toBe(before + 1);
  });
});

describe('the sweep', () => {
  // What other tests have left open is not waited for.
  beforeEach(() => books.source.query('UPDATE top_ups SET asked_at = now()'));

  test('books a payment whose event never came', async () => {
    const { account, session } = await started();
    paid(session.id);
    await books.unsettled.sweep(0);
    expect(await balanceOf(account)).toBe(25_000_000);
    // The event comes after all.
    accepted(await take(stripe.event('checkout.session.completed', session.id)));
    expect(await balanceOf(account)).toBe(25_000_000);
  });

  test('ends a top-up whose page has expired', async () => {
    const { account, session } = await started();
    stripe.change(session.id, { status: 'expired' });
    await books.unsettled.sweep(0);
    expect(await stateOf(account)).toBe('expired');
  });

  test('ends a top-up whose bank transfer came to nothing', async () => {
    const { account, session } = await started();
    stripe.change(session.id, { status: 'complete', payment_intent: 'pi_1' });
    await books.unsettled.sweep(0);
    expect(await stateOf(account)).toBe('open');
    stripe.setIntent(session.id, 'requires_payment_method');
    await books.source.query('UPDATE top_ups SET asked_at = NULL WHERE session_id = $1', [session.id]);
    await books.unsettled.sweep(0);
    expect(await stateOf(account)).toBe('failed');
  });

  test('leaves the young ones to their events', async () => {
    const { account, session } = await started();
    paid(session.id);
    await books.unsettled.sweep();
    expect(await stateOf(account)).toBe('open');
    await take(stripe.event('checkout.session.completed', session.id));
  });

  test('gives up what a crash left before there was a page', async () => {
    const account = await books.account();
    const id = randomUUID();
    await books.source.query(
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state) VALUES ($1, $2, 5000000, 'starting')`,
      [id, account],
    );
    await books.unsettled.sweep(0);
    const [row] = await books.source.query('SELECT state FROM top_ups WHERE id = $1', [id]);
    expect(row.state).toBe('failed');
  });

  test('asks again about one that the provider could not tell about', async () => {
    const { account, session } = await started();
    paid(session.id);
    const askAgain = () =>
      books.source.query(
        `UPDATE top_ups SET created_at = now() - interval '1 day', asked_at = NULL WHERE session_id = $1`,
        [session.id],
      );
    stripe.setMood('down');
    await askAgain();
    await books.unsettled.sweep(3_600);
    expect(await stateOf(account)).toBe('open');
    stripe.setMood('well');
    // Not at once: whoever has waited for a day is asked about every hour or so.
    await books.unsettled.sweep(3_600);
    expect(await stateOf(account)).toBe('open');
    await askAgain();
    await books.unsettled.sweep(3_600);
    expect(await stateOf(account)).toBe('paid');
  });

  test('goes through any number of them, and stops early only where the provider is away', async () => {
    const all = await Promise.all(Array.from({ length: 45 }, () => started()));
    for (const { session } of all) paid(session.id);
    stripe.setMood('gone');
    await books.unsettled.sweep(0);
    const asked = await books.source.query(
      'SELECT count(*)::int AS asked FROM top_ups WHERE asked_at IS NOT NULL AND account_id = ANY($1::uuid[])',
      [all.map(({ account }) => account)],
    );
    expect(asked[0].asked).toBe(20);
    stripe.setMood('well');
    await books.source.query('UPDATE top_ups SET asked_at = NULL');
    await books.unsettled.sweep(0);
    for (const { account } of all) expect(await stateOf(account)).toBe('paid');
  });
});
