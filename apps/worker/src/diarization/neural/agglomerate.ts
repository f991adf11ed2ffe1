import type { Breather } from '../breather';

/** Embeddings that are taken for one voice. */
export interface Cluster {
  /** Indices of the items in it. */
  readonly members: readonly number[];
  /** The sum of its embeddings, each times its weight. */
  readonly sum: Float32Array;
  readonly weight: number;
}

/** The clusters that two became one of, best matches first. */
export type Merge = readonly [Cluster, Cluster, Cluster];

export interface MergeOptions {
  /** Whether two items are known to be different people. */
  readonly differ: (a: number, b: number) => boolean;
  readonly breather: Breather;
  /** Stop with so many clusters. */
  readonly downTo: number;
}

/**
 * Average linkage: again and again the two clusters become one whose embeddings have the highest mean cosine. People
 * known to differ are kept apart as long as there is another choice.
 * @returns all merges, in order.
 */
export async function mergeClosest(clusters: readonly Cluster[], options: MergeOptions): Promise<Merge[]> {
  const { differ, breather, downTo } = options;
  const alive = [...clusters];
  const count = alive.length;
  // Row by row; -Infinity on the diagonal and for clusters that are gone.
  const likeness = new Float32Array(count * count).fill(-Infinity);
  for (let a = 0; a < count; a++) {
    await breather.breathe();
    for (let b = 0; b < a; b++) {
      const apart = alive[a]!.members.some((x) => alive[b]!.members.some((y) => differ(x, y)));
      set(likeness, count, a, b, meanCosine(alive[a]!, alive[b]!) - (apart ? APART : 0));
    }
  }
  const best = Int32Array.from({ length: count }, (_, row) => bestOf(likeness, count, row));
  const gone = new Uint8Array(count);
  const merges: Merge[] = [];
  for (let left = count; left > Math.max(1, downTo); left--) {
    await breather.breathe();
    let kept = -1;
    let most = -Infinity;
    for (let row = 0; row < count; row++) {
      const value = gone[row] ? -Infinity : likeness[row * count + best[row]!]!;
      if (value > most) [kept, most] = [row, value];
    }
    const lost = best[kept]!;
    const merged = together(alive[kept]!, alive[lost]!);
    merges.push([alive[kept]!, alive[lost]!, merged]);
    alive[kept] = merged;
    gone[lost] = 1;
    for (let other = 0; other < count; other++) {
      if (gone[other] || other === kept) continue;
      const apart =
        Math.min(likeness[kept * count + other]!, likeness[lost * count + other]!) < -APART / 2 ? APART : 0;
      set(likeness, count, kept, other, meanCosine(merged, alive[other]!) - apart);
    }
    for (let other = 0; other < count; other++) set(likeness, count, lost, other, -Infinity);
    for (let row = 0; row < count; row++) {
      if (gone[row]) continue;
      if (row === kept || best[row] === lost || best[row] === kept) best[row] = bestOf(likeness, count, row);
      else if (likeness[row * count + kept]! > likeness[row * count + best[row]!]!) best[row] = kept;
    }
  }
  return merges;
}

/** More than cosines can differ by: what is known to differ is merged after all else. */
const APART = 10;

export function meanCosine(a: Cluster, b: Cluster): number {
  return dot(a.sum, b.sum) / (a.weight * b.weight);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
}

function together(a: Cluster, b: Cluster): Cluster {
  return {
    members: [...a.members, ...b.members],
    sum: a.sum.map((value, index) => value + b.sum[index]!),
    weight: a.weight + b.weight,
  };
}

function set(matrix: Float32Array, count: number, a: number, b: number, value: number): void {
  matrix[a * count + b] = value;
  matrix[b * count + a] = value;
}

function bestOf(matrix: Float32Array, count: number, row: number): number {
  let best = row;
  for (let column = 0; column < count; column++) {
    if (matrix[row * count + column]! > matrix[row * count + best]!) best = column;
  }
  return best;
}
