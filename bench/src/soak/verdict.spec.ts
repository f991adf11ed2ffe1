import { judge, slope, type Point } from './verdict';

const points = (value: (seconds: number) => number): Point[] =>
  Array.from({ length: 101 }, (_, n) => ({ seconds: n * 10, value: value(n * 10) }));
const bound = { share: 0.1, atLeast: 5 };
const verdict = (value: (seconds: number) => number) =>
  judge({ name: 'memory', unit: 'MiB', points: points(value), bound })!;

it('the slope is that of the line through the points', () => {
  expect(slope(points((seconds) => 3 + 0.25 * seconds))).toBeCloseTo(0.25, 9);
  expect(slope([{ seconds: 1, value: 2 }])).toBe(0);
});

it('what is steady or goes up and down is flat, also where it filled up in the beginning', () => {
  expect(verdict(() => 100).isFlat).toBe(true);
  expect(verdict((seconds) => 100 + 20 * Math.sin(seconds / 30)).isFlat).toBe(true);
  expect(verdict((seconds) => Math.min(100, seconds)).isFlat).toBe(true);
});

it('what grows on and on is not, however slowly it begins', () => {
  const leaking = verdict((seconds) => 100 + seconds / 50);
  expect(leaking).toMatchObject({ isFlat: false, allowed: expect.closeTo(11.3, 0) as number });
  expect(leaking.growth).toBeCloseTo(14, 0);
  expect(leaking.perHour).toBeCloseTo(72, 0);
});

it('what shrinks is flat, and what is not judged has no verdict', () => {
  expect(verdict((seconds) => 1_000 - seconds).isFlat).toBe(true);
  expect(
    judge({ name: 'n', unit: '', points: points((seconds) => seconds), bound: null })!.isFlat,
  ).toBeNull();
});

it('too few points, or none that is a number, say nothing', () => {
  expect(judge({ name: 'n', unit: '', points: points(() => 1).slice(0, 4), bound })).toBeUndefined();
  expect(judge({ name: 'n', unit: '', points: points(() => NaN), bound })).toBeUndefined();
});
