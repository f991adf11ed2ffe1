import { askApart, DataSource, row, Scraped, showOrRemove } from '@currawong/database';
import type { OutboundFailure } from '@currawong/outbound';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';

export const deliveriesEnded = new Counter({
  name: 'currawong_webhook_deliveries_total',
  help: 'Deliveries that ended: delivered, or failed at the end of their attempts',
  labelNames: ['outcome'],
});

export const attemptSeconds = new Histogram({
  name: 'currawong_webhook_attempt_seconds',
  help: 'How long attempts took, by the kind of their answer, or why there was none',
  labelNames: ['outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
});

for (const outcome of ['delivered', 'failed']) deliveriesEnded.inc({ outcome }, 0);
for (const outcome of [
  ...['2xx', '3xx', '4xx', '5xx'],
  ...(['refused', 'unknown_name', 'unreachable', 'timed_out', 'too_large'] satisfies OutboundFailure[]),
])
  attemptSeconds.zero({ outcome });

interface Due {
  pending: number;
  due: number;
  oldest_seconds: number;
}

let shown: Scraped<Due> | undefined;

/** Shows what is to be sent, from rows: every replica says the same. Absent while the database is away. */
@Injectable()
export class DueMetrics {
  constructor(source: DataSource) {
    shown = new Scraped(() => askApart(source, readDue));
  }
}

new Gauge({
  name: 'currawong_webhook_deliveries_pending',
  help: 'Deliveries that have not ended, most of them between two attempts',
  async collect() {
    showOrRemove(this, (await shown?.answer())?.pending);
  },
});

new Gauge({
  name: 'currawong_webhook_deliveries_due',
  help: 'Deliveries whose next attempt is due and not under way',
  async collect() {
    showOrRemove(this, (await shown?.answer())?.due);
  },
});

new Gauge({
  name: 'currawong_webhook_oldest_due_seconds',
  help: 'How long the delivery that is due the longest has been; 0 when none is',
  async collect() {
    showOrRemove(this, (await shown?.answer())?.oldest_seconds);
  },
});

async function readDue(on: DataSource): Promise<Due> {
  const due = await row<Due>(
    on,
    `WITH due AS (SELECT next_attempt_at FROM webhook_deliveries
                   WHERE state = 'pending' AND next_attempt_at <= now()
                     AND (claimed_until IS NULL OR claimed_until <= now()))
     SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE state = 'pending') AS pending,
            (SELECT count(*)::int FROM due) AS due,
            coalesce(extract(epoch FROM now() - (SELECT min(next_attempt_at) FROM due)), 0)::float8 AS oldest_seconds`,
  );
  return due!;
}
