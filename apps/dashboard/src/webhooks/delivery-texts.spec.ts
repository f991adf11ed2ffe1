import { addressText, durationText, latestOutcome, outcomeText, pollMs } from './delivery-texts';

it.each([
  ['https://example.com/hooks/currawong?token=hush', 'example.com/hooks/currawong?…'],
  ['https://example.com/', 'example.com'],
  ['https://example.com:8443/?token=hush', 'example.com:8443/?…'],
  ['http://receiver.internal/hook', 'http://receiver.internal/hook'],
])('an address is shown without what may be secret in it: %s', (url, shown) =>
  expect(addressText(url)).toBe(shown),
);

it('an attempt is told by its answer, else by why there was none', () => {
  expect(outcomeText({ status_code: 503, error: null })).toBe('Answered 503');
  expect(outcomeText({ status_code: null, error: 'no answer came within 15 s' })).toBe(
    'No answer came within 15 s',
  );
  expect(latestOutcome({ last_status_code: null, last_error: null })).toBe('');
});

it('short times are told in milliseconds, long ones in seconds', () => {
  expect([38, 999, 1_000, 15_040].map(durationText)).toEqual(['38 ms', '999 ms', '1.0 s', '15.0 s']);
});

describe('deliveries are asked for again', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  const pending = (next_attempt_at: string) => ({ status: 'pending', next_attempt_at }) as const;

  it('not at all once all have ended', () => {
    expect(pollMs([{ status: 'delivered', next_attempt_at: null }], now)).toBe(false);
  });

  it('soon where one is due, later where the next attempt is hours away', () => {
    expect(pollMs([pending('2026-11-21T05:00:00Z'), pending('2026-11-21T00:00:05Z')], now)).toBe(2_000);
    expect(pollMs([pending('2026-11-21T05:00:00Z')], now)).toBe(20_000);
  });
});
