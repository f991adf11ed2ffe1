import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Result } from '@currawong/contracts';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, TestBooks } from '../test-books';

// Two replicas on one database with two connections each: whatever holds within one of them must hold between them.
let fresh: FreshDatabase;
let replicas: [TestBooks, TestBooks];
let books: TestBooks;
beforeAll(async () => {
  fresh = await freshDatabase();
  replicas = [await TestBooks.open(fresh.url), await TestBooks.open(fresh.url)];
  books = replicas[0];
});
afterEach(async () => expect(await books.problems()).toEqual([]));
afterAll(async () => {
  await Promise.all(replicas?.map((replica) => replica.close()) ?? []);
  await fresh?.drop();
});

/** Every call at once, spread over the replicas. */
function atOnce<T>(count: number, call: (replica: TestBooks, index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(replicas[index % 2]!, index)));
}

const codes = (results: Result<unknown>[]) =>
  results.map((result) => (result.ok ? 'ok' : result.refusal.code)).sort();

/** A deadlock is healed by taking the decision again, so only the server's own count shows it. */
async function deadlocks(): Promise<number> {
  // Postgres publishes a connection's counts at most once a second.
  await setTimeout(1_100);
  const [counted] = await books.source.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return counted.deadlocks;
}

test('of 60 jobs that ask at once for the credit of one, exactly one gets it', async () => {
  const account = await books.account({ microAud: 500_000 });
  const results = await atOnce(60, (replica) =>
    replica.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 1_500 }),
  );
  expect(codes(results)).toEqual([...Array<string>(59).fill('insufficient_credit'), 'ok']);
  expect(await books.summary(account)).toMatchObject({ available_micro_aud: 0, held_micro_aud: 500_000 });
});

test('of 60 jobs that ask at once for 20 free minutes, exactly 20 get one', async () => {
  const account = await books.account({ freeSeconds: 1_200 });
  const results = await atOnce(60, (replica) =>
    replica.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 60 }),
  );
  expect(results.filter(({ ok }) => ok)).toHaveLength(20);
});

test('the same job held 20 times at once is held once', async () => {
  const account = await books.account({ microAud: 1_000_000 });
  const job = randomUUID();
  const results = await atOnce(20, (replica) =>
    replica.holds.hold({ account_id: account, job_id: job, seconds: 60 }),
  );
  for (const result of results) expect(accepted(result).held_seconds).toBe(60);
  expect((await books.summary(account)).held_micro_aud).toBe(20_000);
});

test('a job held at once for two accounts belongs to one of them', async () => {
  for (let round = 0; round < 10; round += 1) {
    const accounts = [await books.account({ freeSeconds: 60 }), await books.account({ freeSeconds: 60 })];
    const job = randomUUID();
    const results = await atOnce(2, (replica, index) =>
      replica.holds.hold({ account_id: accounts[index]!, job_id: job, seconds: 60 }),
    );
    expect(codes(results)).toEqual(['conflict', 'ok']);
  }
});

test('a job captured 20 times at once is charged once', async () => {
  const account = await books.account({ microAud: 1_000_000 });
  const job = randomUUID();
  accepted(await books.holds.hold({ account_id: account, job_id: job, seconds: 60 }));
  const results = await atOnce(20, (replica, index) =>
    replica.holds.capture({ job_id: job, seconds: 40 + index }),
  );
  const charges = new Set(results.map((result) => accepted(result).charged_micro_aud));
  expect(charges.size).toBe(1);
  expect((await books.summary(account)).total_used_micro_aud).toBe([...charges][0]);
});

test('a job captured and released at once is one or the other', async () => {
  const account = await books.account({ microAud: 1_000_000 });
  for (let round = 0; round < 20; round += 1) {
    const job = randomUUID();
    accepted(await books.holds.hold({ account_id: account, job_id: job, seconds: 60 }));
    const results = await atOnce<Result<unknown>>(2, (replica, index) =>
      index === round % 2
        ? replica.holds.capture({ job_id: job, seconds: 60 })
        : replica.holds.release({ account_id: account, job_id: job, reason: 'cancelled' }),
    );
    expect(codes(results)).toEqual(['conflict', 'ok']);
  }
});

test('of 20 jobs held and released at once, none is held after its release was answered', async () => {
  const account = await books.account({ microAud: 1_000_000, freeSeconds: 600 });
  const jobs = Array.from({ length: 20 }, () => randomUUID());
  await atOnce(20, async (replica, index) => {
    const other = replicas[(index + 1) % 2]!;
    const job = { account_id: account, job_id: jobs[index]! };
    const [held, released] = await Promise.all([
      replica.holds.hold({ ...job, seconds: 60 }),
      other.holds.release({ ...job, reason: 'cancelled' }),
    ]);
    // Whichever came first: either the hold went back, or it found the job released.
    const { released_micro_aud, released_free_seconds } = accepted(released);
    if (held.ok) expect(released_micro_aud + released_free_seconds).toBeGreaterThan(0);
    else expect([held.refusal.code, released_micro_aud, released_free_seconds]).toEqual(['conflict', 0, 0]);
  });
  const { open_holds } = accepted(await books.checks.check());
  expect(open_holds.filter(({ account_id }) => account_id === account)).toEqual([]);
  expect(await books.summary(account)).toMatchObject({
    available_micro_aud: 1_000_000,
    held_micro_aud: 0,
    free_seconds_available: 600,
  });
});

test('a job held for one account and released for another at once belongs to one of them', async () => {
  for (let round = 0; round < 20; round += 1) {
    const [mine, yours] = [
      await books.account({ freeSeconds: 60 }),
      await books.account({ freeSeconds: 60 }),
    ];
    const job_id = randomUUID();
    const results = await atOnce<Result<unknown>>(2, (replica, index) =>
      index === round % 2
        ? replica.holds.hold({ account_id: mine, job_id, seconds: 60 })
        : replica.holds.release({ account_id: yours, job_id, reason: 'cancelled' }),
    );
    expect(codes(results)).toEqual(['conflict', 'ok']);
  }
});

test('a job released 20 times at once before it is held is released once', async () => {
  const account_id = await books.account({ freeSeconds: 60 });
  const job_id = randomUUID();
  const results = await atOnce(20, (replica) =>
    replica.holds.release({ account_id, job_id, reason: 'cancelled' }),
  );
  for (const result of results) {
    expect(accepted(result)).toEqual({ released_micro_aud: 0, released_free_seconds: 0 });
  }
  const booked = await books.source.query('SELECT kind FROM transactions WHERE job_id = $1 ORDER BY id', [
    job_id,
  ]);
  expect(booked).toEqual([{ kind: 'hold' }, { kind: 'release' }]);
});

test('one top-up booked 20 times at once is booked once', async () => {
  const account = await books.account();
  const top_up = {
    account_id: account,
    amount_micro_aud: 5_000_000,
    reason: 'card',
    reference: randomUUID(),
  };
  const results = await atOnce(20, (replica) => replica.credit.add({ ...top_up, kind: 'top_up' }));
  for (const result of results) expect(accepted(result).available_micro_aud).toBe(5_000_000);
});

test('one reference used at once for two accounts is booked for one of them', async () => {
  for (let round = 0; round < 10; round += 1) {
    const accounts = [await books.account(), await books.account()];
    const top_up = { amount_micro_aud: 1, kind: 'top_up', reason: 'card', reference: randomUUID() } as const;
    const results = await atOnce(2, (replica, index) =>
      replica.credit.add({ account_id: accounts[index]!, ...top_up }),
    );
    expect(codes(results)).toEqual(['conflict', 'ok']);
  }
});

test('an account opened 20 times at once gets its free seconds once', async () => {
  const account_id = randomUUID();
  const results = await atOnce(20, (replica) => replica.accounts.open({ account_id, free_seconds: 5_400 }));
  for (const result of results) expect(accepted(result).free_seconds_available).toBe(5_400);
});

test('a crowd on crossing accounts neither deadlocks nor loses a micro-AUD, with two connections a replica', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 5 }, () => books.account({ microAud: 20_000_000 })),
  );
  let captured = 0;
  await atOnce(40, async (replica, worker) => {
    const other = replicas[(worker + 1) % 2]!;
    for (let turn = 0; turn < 15; turn += 1) {
      const job_id = randomUUID();
      const account_id = accounts[(worker * 7 + turn * 3) % 5]!;
      accepted(await replica.holds.hold({ account_id, job_id, seconds: 60 + turn }));
      if ((worker + turn) % 3 === 0) {
        accepted(await other.holds.release({ account_id, job_id, reason: 'cancelled' }));
      } else {
        accepted(await other.holds.capture({ job_id, seconds: 30 + worker }));
        captured += 1;
      }
    }
  });
  expect(captured).toBe(400);
  expect(await deadlocks()).toBe(0);
  for (const account of accounts) {
    const { available_micro_aud, held_micro_aud, total_used_micro_aud } = await books.summary(account);
    expect(held_micro_aud).toBe(0);
    expect(available_micro_aud + total_used_micro_aud).toBe(20_000_000);
  }
});
