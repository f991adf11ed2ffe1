import { askApart, type DataSource, row, Scraped, showOrRemove } from '@currawong/database';
import { Counter, Gauge } from 'prom-client';

/** `kind`: open_account, top_up, adjustment, hold, raise_hold, capture, release. */
export const transactionsBooked = new Counter({
  name: 'currawong_billing_transactions_total',
  help: 'Transactions committed to the journal; repetitions that changed nothing are not among them',
  labelNames: ['kind'],
});

/** `code`: as in the error registry. */
export const decisionsRefused = new Counter({
  name: 'currawong_billing_refusals_total',
  help: 'Requests that the rules of the ledger refused',
  labelNames: ['code'],
});

export const lowBalancesTold = new Counter({
  name: 'currawong_billing_low_balance_notices_total',
  help: 'Bookings that took a balance below the threshold of its account',
});

/** `state`: open, paid, expired, failed. */
export const topUpsChanged = new Counter({
  name: 'currawong_billing_top_ups_total',
  help: 'Top-ups that reached a state',
  labelNames: ['state'],
});

const PAYMENT_RESULTS = [
  'paid',
  'repeated',
  'changed',
  'waiting',
  'mismatch',
  'unknown',
  'refund',
  'dispute',
  'other',
  'refused',
] as const;

/**
 * `result`: paid, repeated (known already), changed (expired or failed), waiting (not paid yet), mismatch (paid, but not
 * what was asked for: booked by nobody), unknown (no top-up of ours), refund, dispute, other (kinds that we do not
 * listen to), refused (bad signature).
 */
export const paymentEvents = new Counter({
  name: 'currawong_billing_payment_events_total',
  help: 'Events of the payment provider, and answers to the questions of the sweep',
  labelNames: ['result'],
});

// An increase from nothing to the first event is seen only where there was a series at 0.
for (const kind of ['open_account', 'top_up', 'adjustment', 'hold', 'raise_hold', 'capture', 'release'])
  transactionsBooked.inc({ kind }, 0);
for (const state of ['open', 'paid', 'expired', 'failed']) topUpsChanged.inc({ state }, 0);
for (const result of PAYMENT_RESULTS) paymentEvents.inc({ result }, 0);

/** Asked for at each scrape; the partial index holds the open ones alone. Absent while the database is away. */
export function showOpenHolds(source: DataSource): Gauge {
  const holds = new Scraped(
    () =>
      askApart(source, (on) =>
        row<{ open: number }>(on, `SELECT count(*)::int AS open FROM holds WHERE state = 'pending'`),
      ),
    { freshMs: 0, patienceMs: 2_000 },
  );
  return new Gauge({
    name: 'currawong_billing_open_holds',
    help: 'Jobs with credit set aside and neither captured nor released',
    async collect() {
      showOrRemove(this, (await holds.answer())?.open);
    },
  });
}
