import { acknowledgementFor, backoffMs, done, reject, retry } from './outcome';

describe('the words for the broker', () => {
  it.each([
    [done(), '+ACK'],
    [retry(1_500, 'busy'), '-NAK {"delay":1500000000}'],
    [retry(0, 'shutdown'), '-NAK'],
    [reject('of no\nuse'), '+TERM of no use'],
  ])('%j is %s', (outcome, words) => {
    expect(acknowledgementFor(outcome)).toBe(words);
  });
});

it('a handler that keeps throwing waits longer each time, a minute at most', () => {
  expect([0, 1, 2, 5, 6, 1_000].map(backoffMs)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
});
