import { RefusalException } from '../../http/refusal.exception';
import { MAX_OPEN_PER_ACCOUNT, OpenRecordings } from './open-recordings';

let open: OpenRecordings;
beforeEach(() => (open = new OpenRecordings()));

function refusal(accountId: string): RefusalException {
  try {
    open.enter(accountId);
  } catch (error) {
    return error as RefusalException;
  }
  throw new Error('it was let in');
}

it('an account has 6 recordings open at a time, whatever others have', () => {
  const leave = Array.from({ length: MAX_OPEN_PER_ACCOUNT }, () => open.enter('a'));
  expect(leave).toHaveLength(6);
  expect(refusal('a').getStatus()).toBe(429);
  expect(refusal('a').headers).toEqual({ 'Retry-After': '10' });
  expect(() => open.enter('b')).not.toThrow();
  leave[0]!();
  expect(() => open.enter('a')).not.toThrow();
  expect(refusal('a').refusal.code).toBe('rate_limited');
});

it('an account that has closed all of its recordings has all places again', () => {
  for (let round = 0; round < 3; round++) {
    const leave = Array.from({ length: MAX_OPEN_PER_ACCOUNT }, () => open.enter('a'));
    for (const one of leave) one();
  }
  expect(() => open.enter('a')).not.toThrow();
});
