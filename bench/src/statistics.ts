/** What several measurements of the same thing come to. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** @throws RangeError when nothing was measured, or something that is not a number. */
export function summarize(values: readonly number[]): Summary {
  const sorted = inOrder(values);
  return { median: median(values), low: sorted[0]!, high: sorted.at(-1)! };
}

/** The same of what not every system tells: NaN throughout where a value is not known. */
export function summarizeKnown(values: readonly number[]): Summary {
  return values.every(Number.isFinite) ? summarize(values) : { median: NaN, low: NaN, high: NaN };
}

/** The middle value; between two middle ones, halfway. @throws RangeError as `summarize` does */
export function median(values: readonly number[]): number {
  const sorted = inOrder(values);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

/**
 * The smallest measured value that at least this share (0 to 1) of all values does not exceed (nearest rank).
 * @throws RangeError as `summarize` does
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = inOrder(values);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/**
 * Each measurement divided by the one that was taken beside it. The ratio of the medians would let a slow minute of the
 * machine count on one side alone.
 * @throws RangeError when the sides have not been measured equally often, or a divisor is not more than 0
 */
export function ratiosOfPairs(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length)
    throw new RangeError(`${ours.length} measurements cannot be paired with ${theirs.length}`);
  return ours.map((value, index) => {
    const divisor = theirs[index]!;
    if (!(divisor > 0)) throw new RangeError(`${divisor} measured: nothing can be divided by it`);
    return value / divisor;
  });
}

/** Runs every side once, then every side again, so that what slows the machine for a while slows all of them. */
export async function inTurns<Sides extends Readonly<Record<string, (round: number) => Promise<unknown>>>>(
  rounds: number,
  sides: Sides,
  onRound: (round: number) => void = () => undefined,
): Promise<{ [Name in keyof Sides]: Awaited<ReturnType<Sides[Name]>>[] }> {
  const names = Object.keys(sides);
  const measured: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) measured[name]!.push(await sides[name]!(round));
    onRound(round + 1);
  }
  return measured as { [Name in keyof Sides]: Awaited<ReturnType<Sides[Name]>>[] };
}

function inOrder(values: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError('Nothing was measured');
  if (!values.every(Number.isFinite)) throw new RangeError(`Not all are numbers: ${values.join(', ')}`);
  return [...values].sort((a, b) => a - b);
}
