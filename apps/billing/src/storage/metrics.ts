import { type DataSource, row } from '@currawong/database';
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

/** Asked for at each scrape; the partial index holds the open ones alone. */
export function showOpenHolds(source: DataSource): Gauge {
  return new Gauge({
    name: 'currawong_billing_open_holds',
    help: 'Jobs with credit set aside and neither captured nor released',
    async collect() {
      const counted = await row<{ open: number }>(
        source,
        `SELECT count(*)::int AS open FROM holds WHERE state = 'pending'`,
      );
      this.set(counted!.open);
    },
  });
}
