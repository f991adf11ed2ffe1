import type { TopUp, TopUpState } from '../storage/top-ups';
import { type SessionReport, settle } from './settling';

const report = (standing: string, changes: Partial<SessionReport> = {}): SessionReport => ({
  sessionId: 'cs_1',
  standing: standing as SessionReport['standing'],
  amountCents: 2_500,
  currency: 'aud',
  ...changes,
});
const topUp = (state: string): TopUp => ({
  id: 'one',
  accountId: 'A',
  amountMicroAud: 25_000_000n,
  state: state as TopUpState,
  sessionId: state === 'starting' ? null : 'cs_1',
  checkoutUrl: state === 'open' ? 'https://pay' : null,
  problem: null,
});

// Each row: what the top-up is, what is heard about its session, what follows, and what the top-up is then.
const TABLE = `
  was      | heard    | result   | is
  starting | payable  | waiting  | starting
  starting | waiting  | changed  | open
  starting | paid     | paid     | paid
  starting | failed   | changed  | failed
  starting | expired  | changed  | expired
  open     | payable  | waiting  | open
  open     | waiting  | changed  | open
  open     | paid     | paid     | paid
  open     | failed   | changed  | failed
  open     | expired  | changed  | expired
  paid     | payable  | repeated | paid
  paid     | waiting  | repeated | paid
  paid     | paid     | repeated | paid
  paid     | failed   | repeated | paid
  paid     | expired  | repeated | paid
  expired  | failed   | repeated | expired
  expired  | expired  | repeated | expired
  expired  | paid     | paid     | paid
  failed   | failed   | repeated | failed
  failed   | expired  | repeated | failed
  failed   | paid     | paid     | paid`;
const ROWS = TABLE.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()) as [string, string, string, string]);

test.each(ROWS)('a top-up that was %s, and is heard to be %s: %s, and it is %s', (was, heard, result, is) => {
  const before = topUp(was);
  const settling = settle(before, report(heard));
  const after = ('topUp' in settling && settling.topUp) || before;
  expect([settling.result, after.state]).toEqual([result, is]);
  // Nobody is sent to a page on which nothing can be paid.
  if (settling.result === 'changed' || settling.result === 'paid') expect(after.checkoutUrl).toBeNull();
});

test.each([
  ['less', { amountCents: 2_499 }],
  ['more', { amountCents: 2_501 }],
  ['nothing', { amountCents: 0 }],
  ['an unknown amount', { amountCents: null }],
  ['another currency', { currency: 'usd' }],
  ['no currency', { currency: null }],
])('%s than was asked for is not booked, and the row says so once', (_what, changes) => {
  const settling = settle(topUp('open'), report('paid', changes));
  expect(settling).toMatchObject({ result: 'mismatch', topUp: { state: 'failed', checkoutUrl: null } });
  const again = settle((settling as { topUp: TopUp }).topUp, report('paid', changes));
  expect(again).toEqual({ result: 'mismatch', problem: (settling as { problem: string }).problem });
});

test('another session than its own never changes a top-up', () => {
  for (const standing of ['paid', 'failed', 'expired', 'waiting']) {
    const settling = settle(topUp('open'), report(standing, { sessionId: 'cs_2' }));
    expect(settling).toEqual({
      result: 'mismatch',
      problem: 'session cs_2 is not the one of this top-up',
    });
  }
});
