import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { DataSource } from 'typeorm';
import { row } from './data-source';
import { askApart, closeApart } from './scrape-connection';
import { Scraped } from './scraped';

/** What TypeORM's driver keeps of node-postgres. */
interface Pool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  options: { max: number };
}

interface Waiting {
  messages: number;
  oldest_seconds: number;
}

/** The database of this process and what its outbox holds; undefined before it is open and after it was closed. */
let shown: { source: DataSource; waiting: Scraped<Waiting | null> } | undefined;

/** @returns a function that ends it and closes the connection of scrapes */
export function showDatabase(source: DataSource): () => Promise<void> {
  const mine = { source, waiting: new Scraped(() => askApart(source, askOutbox)) };
  shown = mine;
  return async () => {
    if (shown === mine) shown = undefined;
    await closeApart(source);
  };
}

new Gauge({
  name: 'currawong_database_up',
  help: 'Whether the database answers: 1, or 0. While it is 0, metrics that are asked of it are absent',
  async collect() {
    this.set((await shown?.waiting.answer()) === undefined ? 0 : 1);
  },
});

new Gauge({
  name: 'currawong_database_connections',
  help: 'Connections of the pool in use and idle, and work that waits for one',
  labelNames: ['state'],
  async collect() {
    // A question asked in this very turn is given its connection at the end of it: until then it would seem to wait.
    await nextTurn();
    const pool = poolOf(shown?.source);
    if (!pool) return this.reset();
    this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
    this.set({ state: 'idle' }, pool.idleCount);
    this.set({ state: 'waiting' }, pool.waitingCount);
  },
});

new Gauge({
  name: 'currawong_database_connections_max',
  help: 'Connections that the pool opens at most',
  collect() {
    showOrRemove(this, poolOf(shown?.source)?.options.max);
  },
});

new Gauge({
  name: 'currawong_outbox_messages',
  help: 'Messages committed to the outbox whose stream has not acknowledged them',
  async collect() {
    showOrRemove(this, (await shown?.waiting.answer())?.messages);
  },
});

new Gauge({
  name: 'currawong_outbox_oldest_seconds',
  help: 'Age of the oldest message in the outbox; 0 when there is none',
  async collect() {
    showOrRemove(this, (await shown?.waiting.answer())?.oldest_seconds);
  },
});

/** Without a value an unlabelled gauge would go on saying its last one. */
export function showOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

/** @returns null for a service without an outbox */
async function askOutbox(source: DataSource): Promise<Waiting | null> {
  const table = await row<{ has_outbox: boolean }>(
    source,
    `SELECT to_regclass('outbox') IS NOT NULL AS has_outbox`,
  );
  if (!table!.has_outbox) return null;
  const waiting = await row<Waiting>(
    source,
    `SELECT count(*)::int AS messages,
            coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS oldest_seconds FROM outbox`,
  );
  return waiting!;
}

/** How many questions wait for a connection of the pool. */
export function waitingForConnection(source: DataSource): number {
  return poolOf(source)?.waitingCount ?? 0;
}

function poolOf(source: DataSource | undefined): Pool | undefined {
  if (!source?.isInitialized) return undefined;
  return (source.driver as unknown as { master?: Pool }).master;
}
