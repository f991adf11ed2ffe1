import { pauseSeconds, RETRY_SECONDS, retryAfterSeconds } from './schedule';

const allPauses = (random: number) =>
  RETRY_SECONDS.map((_, made) => pauseSeconds(RETRY_SECONDS, made + 1, null, random)!);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

it('attempts go on for a day at least, whatever the jitter', () => {
  expect(sum(allPauses(0))).toBeGreaterThan(24 * 3_600);
  expect(allPauses(0.5)).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400]);
  expect(allPauses(1)[0]).toBeCloseTo(5.5);
});

it('after the last pause there is no further attempt', () => {
  expect(pauseSeconds(RETRY_SECONDS, RETRY_SECONDS.length + 1, 60, 0.5)).toBeNull();
  expect(pauseSeconds([], 1, null, 0.5)).toBeNull();
});

it('a receiver can ask for more time, within twelve hours, and not for less', () => {
  expect(pauseSeconds([10], 1, 120, 0.5)).toBe(120);
  expect(pauseSeconds([10], 1, 1, 0.5)).toBe(10);
  expect(pauseSeconds([10], 1, 10_000_000, 0.5)).toBe(43_200);
});

it.each([
  ['120', 120],
  ['0', 0],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['2026-11-21', null],
  ['99999999999', null],
  ['', null],
  [undefined, null],
  [['1', '2'], null],
])('Retry-After %j asks for %p seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, new Date('2026-11-21T10:00:00Z'))).toBe(seconds);
});
