import { summarize } from './statistics';

/** One line of the results. */
export interface Figure {
  /** The number of the row among the aims; absent for what has no aim there. */
  readonly row?: number;
  readonly what: string;
  /** Empty for a ratio. */
  readonly unit: string;
  /** The median, unless `what` says otherwise. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** What the range is a range of, such as `5 pairs`. */
  readonly rangeOf: string;
  readonly aim?: Aim;
  /** Measured under easier conditions than the aim is for: it says something, but not that the aim is reached. */
  readonly eased?: true;
  /** How it was measured, with the absolute figures and CPU seconds behind it: whole sentences. */
  readonly how: string;
}

export type Aim = { readonly atLeast: number } | { readonly atMost: number };

/** The figure of values that were measured one after the other: their median, or the value of them that is given. */
export function figure(
  values: readonly number[],
  of: Omit<Figure, 'value' | 'low' | 'high' | 'unit'> & { unit?: string; value?: number },
): Figure {
  const { median, low, high } = summarize(values);
  return { unit: '', value: median, ...of, low, high };
}

/** Judged by the value as measured, not as printed: a rounded figure must not reach what the measured one missed. */
export function isReached({
  value,
  aim,
  eased,
}: Pick<Figure, 'value' | 'aim' | 'eased'>): boolean | undefined {
  if (!aim || eased) return undefined;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}

export function aimText({ aim, unit }: Pick<Figure, 'aim' | 'unit'>): string {
  if (!aim) return '–';
  const text = 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
  return unit ? `${text} ${unit}` : text;
}

/** Three figures that count, however large. */
export function shown(value: number): string {
  if (value === 0) return '0';
  const digits = Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toFixed(digits);
}
