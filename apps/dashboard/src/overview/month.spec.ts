import { barHeights, monthDays, monthTotal } from './month';

const used = (date: string, audio_seconds: number, jobs = 1) => ({
  date,
  audio_seconds,
  jobs,
  cost_aud: '0.020000',
});

it.each([
  ['2026-11', 30],
  ['2026-02', 28],
  ['2028-02', 29],
  ['2026-12', 31],
])('the chart of %s has %s days, those to come as well', (month, count) => {
  const days = monthDays(month, [used(`${month}-02`, 60)]);
  expect(days).toHaveLength(count);
  expect(days[1]).toEqual({ date: `${month}-02`, seconds: 60, jobs: 1, costAud: '0.020000' });
  expect(days.at(-1)).toEqual({ date: `${month}-${count}`, seconds: 0, jobs: 0, costAud: '0.000000' });
});

it('bars stand in proportion under a round top', () => {
  const days = monthDays('2026-11', [used('2026-11-01', 1800), used('2026-11-02', 900)]);
  const { heights, ticks } = barHeights(days, 100);
  expect(heights.slice(0, 3)).toEqual([100, 50, 0]);
  expect(ticks).toEqual([
    { label: '15 min', share: 0.5 },
    { label: '30 min', share: 1 },
  ]);
});

it('a second can be seen beside a thousand hours, and nothing is higher than the chart', () => {
  const days = monthDays('2026-11', [used('2026-11-01', 3_600_000), used('2026-11-02', 1)]);
  const { heights } = barHeights(days, 100);
  expect(heights[1]).toBe(2);
  expect(Math.max(...heights)).toBeLessThanOrEqual(100);
});

it('a month without use has a scale all the same', () => {
  const { heights, ticks } = barHeights(monthDays('2026-11', []), 100);
  expect(new Set(heights)).toEqual(new Set([0]));
  expect(ticks[1]).toEqual({ label: '2 min', share: 1 });
});

it('the total is that of all days', () => {
  expect(monthTotal([used('2026-11-01', 30, 2), used('2026-11-02', 12, 1)])).toEqual({
    seconds: 42,
    jobs: 3,
  });
});
