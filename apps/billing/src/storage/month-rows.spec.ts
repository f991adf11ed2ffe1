import { EMPTY_BOOKS } from '../ledger/books';
import { creditPostings, openingPostings } from '../ledger/credit';
import { captureHold, type PendingHold } from '../ledger/holds';
import { toMonthRows } from './month-rows';
import type { Transaction } from './page';

const hold: PendingHold = {
  state: 'pending',
  jobId: 'A',
  accountId: 'one',
  option: 'transcription',
  keyId: null,
  pricePerMinuteMicroAud: 20_000n,
  freeSeconds: 60n,
  paidSeconds: 60n,
};
const held = {
  ...EMPTY_BOOKS,
  held: { microAud: 20_000n, freeSeconds: 60n },
  credited: { microAud: 20_000n, freeSeconds: 60n },
};

test('what one page adds to a month is one row per account, and GST is rounded for each top-up', () => {
  const captured = captureHold(held, hold, 90n);
  if (!captured.ok) throw new Error(captured.refusal.detail);
  const named = { reference: 'x', accountId: 'one' };
  const page: Transaction[] = [
    { ...named, kind: 'open_account', postings: openingPostings(60n) },
    { ...named, kind: 'top_up', postings: creditPostings('top_up', 5_000_000n) },
    { ...named, kind: 'top_up', postings: creditPostings('top_up', 5_000_000n) },
    { ...named, kind: 'adjustment', postings: creditPostings('adjustment', 7n) },
    { ...named, kind: 'capture', ...captured.value },
    { ...named, kind: 'adjustment', accountId: 'two', postings: creditPostings('adjustment', 1n) },
    { ...named, kind: 'hold', accountId: 'three', hold: { ...hold, accountId: 'three' }, postings: [] },
  ];
  const [one, two, ...others] = toMonthRows(page);
  expect(one).toEqual({
    account_id: 'one',
    captured_seconds: '90',
    jobs: '1',
    used_micro_aud: '10000',
    used_free_seconds: '60',
    topped_up_micro_aud: '10000000',
    gst_cents: '90',
    adjusted_micro_aud: '7',
    granted_free_seconds: '60',
  });
  expect(two).toMatchObject({ account_id: 'two', jobs: '0', adjusted_micro_aud: '1' });
  expect(others).toEqual([]);
});

test('a capture of no seconds is a job all the same', () => {
  const captured = captureHold(held, hold, 0n);
  if (!captured.ok) throw new Error(captured.refusal.detail);
  const rows = toMonthRows([{ kind: 'capture', reference: 'A', accountId: 'one', ...captured.value }]);
  expect(rows).toMatchObject([{ jobs: '1', captured_seconds: '0', used_micro_aud: '0' }]);
});
