import { monthOf, monthsBetween } from './months';

describe('months', () => {
  it('begin at midnight in Sydney, in summer and in winter', () => {
    expect(monthOf(new Date('2026-10-31T12:59:59Z'))).toBe('2026-10');
    expect(monthOf(new Date('2026-10-31T13:00:00Z'))).toBe('2026-11');
    expect(monthOf(new Date('2026-06-30T13:59:59Z'))).toBe('2026-06');
    expect(monthOf(new Date('2026-06-30T14:00:00Z'))).toBe('2026-07');
  });

  it('are listed from now back to the first, over the turn of the year', () => {
    expect(monthsBetween(new Date('2025-11-15T00:00:00Z'), new Date('2026-02-01T00:00:00Z'))).toEqual([
      '2026-02',
      '2026-01',
      '2025-12',
      '2025-11',
    ]);
  });

  it('are at least the present one, even where clocks disagree', () => {
    expect(monthsBetween(new Date('2026-12-05T00:00:00Z'), new Date('2026-11-05T00:00:00Z'))).toEqual([
      '2026-11',
    ]);
  });
});
