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

const credit = (account_id: string, reference: string) =>
  ({
    account_id,
    amount_micro_aud: 25_000_000,
    kind: 'top_up',
    reason: 'card ending 4242',
    reference,
  }) as const;

test('credit can be spent at once, and all of it counts as topped up', async () => {
  const account = await books.account();
  accepted(await books.credit.add(credit(account, randomUUID())));
  const gift = { ...credit(account, randomUUID()), kind: 'adjustment', amount_micro_aud: 1 } as const;
  expect(accepted(await books.credit.add(gift))).toMatchObject({
    available_micro_aud: 25_000_001,
    total_topped_up_micro_aud: 25_000_001,
  });
});

test('the same reference again is booked once', async () => {
  const account = await books.account();
  const topUp = credit(account, randomUUID());
  accepted(await books.credit.add(topUp));
  expect(accepted(await books.credit.add(topUp)).available_micro_aud).toBe(25_000_000);
});

test('the same reference for anything else is a conflict and books nothing', async () => {
  const account = await books.account();
  const other = await books.account();
  const topUp = credit(account, randomUUID());
  accepted(await books.credit.add(topUp));
  for (const changed of [{ amount_micro_aud: 1 }, { account_id: other }, { reason: 'another card' }]) {
    expect(refusal(await books.credit.add({ ...topUp, ...changed })).code).toBe('conflict');
  }
  expect((await books.summary(account)).available_micro_aud).toBe(25_000_000);
  expect((await books.summary(other)).available_micro_aud).toBe(0);
});

test('an account without books is not found', async () => {
  expect(refusal(await books.credit.add(credit(randomUUID(), randomUUID()))).code).toBe('account_not_found');
});

test('the journal keeps who, why, when and under which reference', async () => {
  const account = await books.account();
  const reference = randomUUID();
  accepted(await books.credit.add(credit(account, reference)));
  const [booked] = await books.source.query(
    `SELECT account_id, kind, reason, booked_at, p.from_book, p.to_book, p.amount
       FROM transactions t JOIN postings p ON p.transaction_id = t.id WHERE reference = $1`,
    [reference],
  );
  expect(booked).toMatchObject({
    account_id: account,
    kind: 'top_up',
    reason: 'card ending 4242',
    from_book: 'top_ups',
    to_book: 'available',
    amount: '25000000',
  });
  expect(Math.abs(Date.now() - booked.booked_at.getTime())).toBeLessThan(60_000);
});
