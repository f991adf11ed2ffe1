import { createDataSource, migrate, rows, type DataSource } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNTS_SCHEMA } from '../accounts/database';
import { RateLimiter } from './rate-limiter';

const MINUTE = 60;

let database: FreshDatabase;
let sources: [DataSource, DataSource];
/** As in two gateways: each with connections and a memory of its own. */
let one: RateLimiter;
let other: RateLimiter;
let subject: string;

beforeAll(async () => {
  database = await freshDatabase();
  await migrate({ ...ACCOUNTS_SCHEMA, url: database.url });
  const open = () => createDataSource({ ...ACCOUNTS_SCHEMA, url: database.url, poolSize: 5 }).initialize();
  sources = [await open(), await open()];
});
afterAll(async () => {
  await Promise.all(sources.map((source) => source.destroy()));
  await database.drop();
});
beforeEach(() => {
  [one, other] = [new RateLimiter(sources[0]), new RateLimiter(sources[1])];
  subject = Math.random().toString(36);
});

/** Counts the statements that a source is asked to run. */
function countQueries(source: DataSource): { asked: number; restore: () => void } {
  const query = jest.spyOn(source, 'query');
  return {
    get asked() {
      return query.mock.calls.length;
    },
    restore: () => query.mockRestore(),
  };
}

it.each([
  [1, 2],
  [10, 2],
  [60, 2],
  [10, 20],
  [60, 50],
])('of 200 at once exactly %i are allowed over %i gateways', async (limit, count) => {
  const gateways = Array.from({ length: count }, (_, n) => new RateLimiter(sources[n % 2]!));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => gateways[n % count]!.consume('requests', subject, limit, MINUTE)),
  );
  const allowed = answers.filter((answer) => answer.allowed);
  expect(allowed).toHaveLength(limit);
  // Each of them was told a different rest: nobody was counted as somebody else.
  expect(allowed.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual(
    Array.from({ length: limit }, (_, n) => n),
  );
});

it('says what is left and when the whole limit is there again', async () => {
  expect(one.peek('requests', subject, 3, MINUTE)).toEqual({ limit: 3, remaining: 3, resetSeconds: 60 });
  expect(await one.consume('requests', subject, 3, MINUTE)).toEqual({
    allowed: true,
    limit: 3,
    remaining: 2,
    resetSeconds: 60,
  });
  expect(await other.consume('requests', subject, 3, MINUTE)).toMatchObject({ remaining: 1 });
  expect(other.peek('requests', subject, 3, MINUTE)).toMatchObject({ limit: 3, remaining: 1 });
});

it('scopes and subjects are counted apart', async () => {
  await one.consume('requests', subject, 1, MINUTE);
  expect(await one.consume('transcribe', subject, 1, MINUTE)).toMatchObject({ allowed: true });
  expect(await one.consume('requests', `${subject}x`, 1, MINUTE)).toMatchObject({ allowed: true });
  expect(await one.consume('requests', subject, 1, MINUTE)).toMatchObject({ allowed: false });
});

it('waiting as long as it says is enough, for all who were refused, at either gateway', async () => {
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).consume('requests', subject, 5, 1)),
    );
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(5);
    const waits = answers.map((answer) => answer.resetSeconds);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1);
    // To the millisecond: timers of Node may be one early.
    await sleep(Math.max(...waits) * 1000 + 1);
  }
});

it('somebody over the limit costs no more queries until the window ends', async () => {
  await one.consume('requests', subject, 1, 1);
  await other.consume('requests', subject, 1, 1);
  const queries = countQueries(sources[1]);
  try {
    for (let n = 0; n < 50; n++)
      expect(await other.consume('requests', subject, 1, 1)).toMatchObject({ allowed: false, remaining: 0 });
    expect(queries.asked).toBe(0);
    await sleep(1001);
    expect(await other.consume('requests', subject, 1, 1)).toMatchObject({ allowed: true });
    expect(queries.asked).toBe(1);
  } finally {
    queries.restore();
  }
});

it('one subject that asks 200 times at once takes one connection, and each request has its own place', async () => {
  const queries = countQueries(sources[0]);
  try {
    await one.consume('requests', subject, 1000, MINUTE);
    const first = one.consume('requests', subject, 1000, MINUTE);
    const rest = Array.from({ length: 199 }, () => one.consume('requests', subject, 1000, MINUTE));
    const left = (await Promise.all([first, ...rest])).map(({ remaining }) => remaining);
    expect(left).toEqual(Array.from({ length: 200 }, (_, n) => 998 - n));
    expect(queries.asked).toBeLessThanOrEqual(3);
  } finally {
    queries.restore();
  }
});

it('after a count that failed the next ones are counted', async () => {
  const query = jest.spyOn(sources[0], 'query').mockRejectedValueOnce(new Error('terminating connection'));
  const failed = one.consume('requests', subject, 2, MINUTE);
  await expect(failed).rejects.toMatchObject({ status: 503 });
  query.mockRestore();
  expect(await one.consume('requests', subject, 2, MINUTE)).toMatchObject({ allowed: true, remaining: 1 });
});

it('goes by the clock of the database, whatever that of a gateway says', async () => {
  await one.consume('requests', subject, 1, MINUTE);
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 3_600_000);
  try {
    expect(await other.consume('requests', subject, 1, MINUTE)).toMatchObject({ allowed: false });
  } finally {
    clock.mockRestore();
  }
  const [window] = await rows<{ left: string }>(
    sources[0],
    'SELECT extract(epoch FROM ends_at - now()) AS left FROM request_counts WHERE subject = $1',
    [subject],
  );
  expect(Number(window!.left)).toBeGreaterThan(50);
  expect(Number(window!.left)).toBeLessThanOrEqual(60);
});

it('a window that has ended is removed, one that has not is kept, also by two sweepers at once', async () => {
  await one.consume('requests', `${subject} ended`, 1, 0.001);
  await one.consume('requests', `${subject} going on`, 1, MINUTE);
  await sleep(10);
  await Promise.all([one.sweep(), other.sweep()]);
  const left = await rows<{ subject: string }>(
    sources[0],
    'SELECT subject FROM request_counts WHERE subject LIKE $1',
    [`${subject}%`],
  );
  expect(left).toEqual([{ subject: `${subject} going on` }]);
});

it('a window that is swept while the next one begins lets nobody in twice', async () => {
  await one.consume('requests', subject, 30, 0.001);
  await sleep(10);
  const sweeping = (async () => {
    for (let n = 0; n < 20; n++) await other.sweep();
  })();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => one.consume('requests', subject, 30, MINUTE)),
  );
  await sweeping;
  expect(answers.filter((answer) => answer.allowed)).toHaveLength(30);
});

it('a database that cannot be asked is a 503, not a free pass', async () => {
  const closed = await createDataSource({ ...ACCOUNTS_SCHEMA, url: database.url, poolSize: 1 }).initialize();
  const limiter = new RateLimiter(closed);
  await closed.destroy();
  await expect(limiter.consume('requests', subject, 1, MINUTE)).rejects.toMatchObject({
    status: 503,
    refusal: { code: 'unavailable' },
  });
});
