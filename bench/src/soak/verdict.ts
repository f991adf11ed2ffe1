/** What is watched of the platform while it works: its values in the order of time. */
export interface Series {
  readonly name: string;
  readonly unit: 'MiB' | 'ms' | '';
  readonly points: readonly Point[];
  readonly bound: Bound;
}

export interface Point {
  /** since the load began */
  readonly seconds: number;
  readonly value: number;
}

/**
 * How much a series may grow from one end of the time after the warm-up to the other, along its line of least squares: by a
 * share of its median, or by so much, whichever is more. `null`: it grows with the work done, and is shown alone.
 */
export type Bound = { readonly share: number; readonly atLeast: number } | null;

export interface Verdict {
  readonly name: string;
  readonly unit: Series['unit'];
  readonly first: number;
  readonly median: number;
  readonly last: number;
  readonly most: number;
  /** Along the line of least squares, after the warm-up. */
  readonly growth: number;
  readonly perHour: number;
  /** null where it is not judged */
  readonly allowed: number | null;
  readonly isFlat: boolean | null;
}

/** Caches fill and pools open in the beginning: that much of the time is not judged. */
const WARM_UP_SHARE = 0.3;
const FEWEST_POINTS = 5;

/** @returns undefined where there are too few points to say anything */
export function judge({ name, unit, points, bound }: Series): Verdict | undefined {
  const known = points.filter(({ value }) => Number.isFinite(value));
  const from = (known.at(-1)?.seconds ?? 0) * WARM_UP_SHARE;
  const counted = known.filter(({ seconds }) => seconds >= from);
  if (counted.length < FEWEST_POINTS) return undefined;
  const values = counted.map(({ value }) => value);
  const seconds = counted.at(-1)!.seconds - counted[0]!.seconds;
  const perSecond = slope(counted);
  const growth = perSecond * seconds;
  const middle = [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
  const allowed = bound && Math.max(bound.share * middle, bound.atLeast);
  return {
    ...{ name, unit, growth, allowed, median: middle },
    first: known[0]!.value,
    last: known.at(-1)!.value,
    most: Math.max(...known.map(({ value }) => value)),
    perHour: perSecond * 3_600,
    isFlat: allowed === null ? null : growth <= allowed,
  };
}

/** Of the line of least squares through the points. */
export function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(({ seconds }) => seconds), mean(({ value }) => value)];
  const covariance = mean(({ seconds, value }) => (seconds - x) * (value - y));
  const variance = mean(({ seconds }) => (seconds - x) ** 2);
  return variance === 0 ? 0 : covariance / variance;
}
