import { askApart, DataSource, row, Scraped } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';

interface Pending {
  deletions: number;
  oldestSeconds: number;
}

let pending: Scraped<Pending> | undefined;

/** Deletions of which the store has not confirmed that nothing is left. Absent while the database is away. */
@Injectable()
export class DeletionMetrics {
  constructor(source: DataSource) {
    pending = new Scraped(() => askApart(source, readPending));
  }
}

async function readPending(source: DataSource): Promise<Pending> {
  const found = await row<Pending>(
    source,
    `SELECT count(*)::int AS deletions,
            coalesce(extract(epoch FROM now() - min(requested_at)), 0)::float8 AS "oldestSeconds"
       FROM deletions WHERE erased_at IS NULL`,
    [],
  );
  return found!;
}

showing(
  'currawong_deletions_pending',
  'Deletions of which the object store has not yet confirmed that nothing is left',
  ({ deletions }) => deletions,
);
showing(
  'currawong_deletions_oldest_pending_seconds',
  'How long the oldest of them has been waiting; 0 when there is none. Content is promised to be gone within a minute',
  ({ oldestSeconds }) => oldestSeconds,
);

function showing(name: string, help: string, value: (pending: Pending) => number): void {
  new Gauge({
    ...{ name, help },
    async collect() {
      const known = await pending?.answer();
      if (known) this.set(value(known));
      else this.remove();
    },
  });
}
