import { randomUUID } from 'node:crypto';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, refusal, TestBooks } from '../test-books';

let fresh: FreshDatabase;
let books: TestBooks;
beforeAll(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url);
});
afterEach(async () => expect(await books.problems()).toEqual([]));
afterAll(async () => {
  await books?.close();
  await fresh?.drop();
});

const hold = (account_id: string, job_id: string, seconds: number) =>
  books.holds.hold({ account_id, job_id, seconds });

describe('holding credit for a job', () => {
  test('takes the price off what is available, free seconds first', async () => {
    const account = await books.account({ microAud: 1_000_000, freeSeconds: 60 });
    const held = accepted(await hold(account, randomUUID(), 90));
    expect(held).toEqual({ held_seconds: 90, price_per_minute_micro_aud: 20_000 });
    expect(await books.summary(account)).toMatchObject({
      available_micro_aud: 990_000,
      held_micro_aud: 10_000,
      free_seconds_available: 0,
      total_used_micro_aud: 0,
    });
  });

  test('again for the same job holds nothing more, and for a longer recording raises the same hold', async () => {
    const account = await books.account({ microAud: 1_000_000 });
    const job = randomUUID();
    for (const [seconds, heldSeconds] of [
      [60, 60],
      [60, 60],
      [30, 60],
      [120, 120],
      [120, 120],
      [180, 180],
    ] as const) {
      expect(accepted(await hold(account, job, seconds)).held_seconds).toBe(heldSeconds);
    }
    expect((await books.summary(account)).held_micro_aud).toBe(60_000);
  });

  test('is refused with the numbers when there is too little, and changes nothing', async () => {
    const account = await books.account({ microAud: 600_000 });
    const refused = refusal(await hold(account, randomUUID(), 3_600));
    expect(refused.code).toBe('insufficient_credit');
    expect(refused.detail).toContain('60.0 minutes needs AUD 1.20');
    expect(refused.detail).toContain('AUD 0.60 is available');
    expect(refused.detail).toContain('Top up AUD 0.60 or more');
    expect((await books.summary(account)).available_micro_aud).toBe(600_000);
  });

  test('is refused below the least balance once no free seconds are left', async () => {
    const account = await books.account({ microAud: 499_999, freeSeconds: 1 });
    accepted(await hold(account, randomUUID(), 1));
    expect(refusal(await hold(account, randomUUID(), 1)).code).toBe('insufficient_credit');
  });

  test('is refused for a job of another account and for an account without books', async () => {
    const [mine, yours] = [
      await books.account({ freeSeconds: 60 }),
      await books.account({ freeSeconds: 60 }),
    ];
    const job = randomUUID();
    accepted(await hold(mine, job, 10));
    expect(refusal(await hold(yours, job, 10)).code).toBe('conflict');
    expect(refusal(await hold(randomUUID(), randomUUID(), 10)).code).toBe('account_not_found');
  });

  test('is refused for a job that was settled', async () => {
    const account = await books.account({ freeSeconds: 600 });
    const [charged, released] = [randomUUID(), randomUUID()];
    for (const job of [charged, released]) accepted(await hold(account, job, 10));
    accepted(await books.holds.capture({ job_id: charged, seconds: 10 }));
    accepted(await books.holds.release({ account_id: account, job_id: released, reason: 'cancelled' }));
    expect(refusal(await hold(account, charged, 10)).code).toBe('conflict');
    expect(refusal(await hold(account, released, 10)).code).toBe('conflict');
  });
});

describe('capturing a hold', () => {
  test('charges the measured seconds, gives the rest back and counts in the month', async () => {
    const account = await books.account({ microAud: 1_000_000, freeSeconds: 60 });
    const job = randomUUID();
    accepted(await hold(account, job, 120));
    const charge = accepted(await books.holds.capture({ job_id: job, seconds: 100 }));
    expect(charge).toEqual({ charged_micro_aud: 13_333, charged_free_seconds: 60 });
    expect(await books.summary(account)).toMatchObject({
      available_micro_aud: 986_667,
      held_micro_aud: 0,
      free_seconds_available: 0,
      total_used_micro_aud: 13_333,
      period_seconds_used: 100,
    });
  });

  test('twice answers with the first charge and takes nothing more', async () => {
    const account = await books.account({ microAud: 1_000_000 });
    const job = randomUUID();
    accepted(await hold(account, job, 120));
    const first = accepted(await books.holds.capture({ job_id: job, seconds: 60 }));
    expect(accepted(await books.holds.capture({ job_id: job, seconds: 120 }))).toEqual(first);
    expect((await books.summary(account)).total_used_micro_aud).toBe(20_000);
  });

  test('of more than was held takes the difference from what is available', async () => {
    const account = await books.account({ microAud: 1_000_000 });
    const job = randomUUID();
    accepted(await hold(account, job, 60));
    accepted(await books.holds.capture({ job_id: job, seconds: 90 }));
    expect(await books.summary(account)).toMatchObject({ available_micro_aud: 970_000, held_micro_aud: 0 });
  });

  test('of more than there is leaves the hold as it was, to be captured or released later', async () => {
    const account = await books.account({ microAud: 500_000 });
    const job = randomUUID();
    accepted(await hold(account, job, 1_440));
    expect(refusal(await books.holds.capture({ job_id: job, seconds: 1_501 })).code).toBe(
      'insufficient_credit',
    );
    expect(await books.summary(account)).toMatchObject({
      available_micro_aud: 20_000,
      held_micro_aud: 480_000,
    });
    accepted(await books.holds.capture({ job_id: job, seconds: 1_500 }));
    expect(await books.summary(account)).toMatchObject({ available_micro_aud: 0, held_micro_aud: 0 });
  });

  test('keeps to the price at which the job was accepted after the price has changed', async () => {
    const account = await books.account({ microAud: 1_000_000 });
    const job = randomUUID();
    accepted(await hold(account, job, 60));
    const dearer = await TestBooks.open(fresh.url, { pricePerMinuteMicroAud: 30_000n });
    const raised = accepted(await dearer.holds.hold({ account_id: account, job_id: job, seconds: 120 }));
    expect(raised.price_per_minute_micro_aud).toBe(20_000);
    const charge = accepted(await dearer.holds.capture({ job_id: job, seconds: 120 }));
    expect(charge.charged_micro_aud).toBe(40_000);
    await dearer.close();
  });

  test('of a job without a hold is a conflict', async () => {
    expect(refusal(await books.holds.capture({ job_id: randomUUID(), seconds: 1 })).code).toBe('conflict');
  });
});

describe('releasing a hold', () => {
  test('gives everything back, as often as it is asked', async () => {
    const account = await books.account({ microAud: 1_000_000, freeSeconds: 60 });
    const job = randomUUID();
    accepted(await hold(account, job, 120));
    for (const reason of ['cancelled', 'cancelled again']) {
      const released = accepted(await books.holds.release({ account_id: account, job_id: job, reason }));
      expect(released).toEqual({ released_micro_aud: 20_000, released_free_seconds: 60 });
    }
    expect(await books.summary(account)).toMatchObject({
      available_micro_aud: 1_000_000,
      held_micro_aud: 0,
      free_seconds_available: 60,
      total_used_micro_aud: 0,
      period_seconds_used: 0,
    });
  });

  test('of a job without a hold moves nothing, and a hold that arrives late is a conflict', async () => {
    const account = await books.account({ microAud: 1_000_000, freeSeconds: 60 });
    const job = randomUUID();
    for (const reason of ['lost', 'lost again']) {
      const released = accepted(await books.holds.release({ account_id: account, job_id: job, reason }));
      expect(released).toEqual({ released_micro_aud: 0, released_free_seconds: 0 });
      expect(refusal(await hold(account, job, 60)).code).toBe('conflict');
    }
    expect(refusal(await books.holds.capture({ job_id: job, seconds: 0 })).code).toBe('conflict');
    const [kept] = await books.source.query(
      'SELECT state, release_reason, free_seconds + paid_seconds AS seconds FROM holds WHERE job_id = $1',
      [job],
    );
    expect(kept).toEqual({ state: 'released', release_reason: 'lost', seconds: '0' });
    expect(await books.summary(account)).toMatchObject({
      available_micro_aud: 1_000_000,
      held_micro_aud: 0,
      free_seconds_available: 60,
    });
  });

  test('without a hold needs no credit', async () => {
    const account = await books.account();
    const job = randomUUID();
    accepted(await books.holds.release({ account_id: account, job_id: job, reason: 'lost' }));
    expect(refusal(await hold(account, job, 0)).code).toBe('conflict');
  });

  test('for an account without books is fine, and books nothing', async () => {
    const job = { account_id: randomUUID(), job_id: randomUUID() };
    const released = accepted(await books.holds.release({ ...job, reason: 'lost' }));
    expect(released).toEqual({ released_micro_aud: 0, released_free_seconds: 0 });
    expect(await books.source.query('SELECT FROM holds WHERE job_id = $1', [job.job_id])).toHaveLength(0);
    expect(refusal(await hold(job.account_id, job.job_id, 1)).code).toBe('account_not_found');
  });

  test('is refused for a job of another account, with books or without, whatever became of it', async () => {
    const [mine, yours] = [await books.account({ freeSeconds: 60 }), await books.account()];
    const [open, released, never] = [randomUUID(), randomUUID(), randomUUID()];
    for (const job of [open, released]) accepted(await hold(mine, job, 10));
    for (const job of [released, never]) {
      accepted(await books.holds.release({ account_id: mine, job_id: job, reason: 'cancelled' }));
    }
    for (const account_id of [yours, randomUUID()]) {
      for (const job_id of [open, released, never]) {
        const refused = refusal(await books.holds.release({ account_id, job_id, reason: 'not mine' }));
        expect(refused.code).toBe('conflict');
      }
    }
    expect(accepted(await hold(mine, open, 10)).held_seconds).toBe(10);
  });

  test('excludes capturing, and capturing excludes it', async () => {
    const account = await books.account({ freeSeconds: 600 });
    const [charged, released] = [randomUUID(), randomUUID()];
    for (const job of [charged, released]) accepted(await hold(account, job, 10));
    accepted(await books.holds.capture({ job_id: charged, seconds: 10 }));
    accepted(await books.holds.release({ account_id: account, job_id: released, reason: 'cancelled' }));
    expect(
      refusal(await books.holds.release({ account_id: account, job_id: charged, reason: 'late' })).code,
    ).toBe('conflict');
    expect(refusal(await books.holds.capture({ job_id: released, seconds: 10 })).code).toBe('conflict');
    expect((await books.summary(account)).free_seconds_available).toBe(590);
  });
});
