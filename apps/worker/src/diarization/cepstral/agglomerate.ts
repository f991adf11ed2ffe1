import type { Breather } from '../breather';
import { GaussianStatistics, likelihoodRatio, secondGaussianPenalty } from './gaussian';

export interface Cluster {
  readonly statistics: GaussianStatistics;
  /** Indices of the windows in it. */
  readonly members: number[];
}

export interface AgglomerateOptions {
  readonly count: number;
  /** More clusters than this are first merged in groups of neighbours, because cost grows with the square. */
  readonly atOnce?: number;
  readonly breather: Breather;
}

/** Merges the two clusters that most look like one voice, until `count` are left. Merges in place. */
export async function agglomerate(clusters: Cluster[], options: AgglomerateOptions): Promise<Cluster[]> {
  const { count, atOnce = 800, breather } = options;
  let remaining = clusters;
  while (remaining.length > atOnce && remaining.length > count) {
    const merged: Cluster[] = [];
    const groupSize = atOnce / 2;
    for (let from = 0; from < remaining.length; from += groupSize) {
      const group = remaining.slice(from, from + groupSize);
      // An eighth is far more than there are voices in a few minutes, so hardly two voices are forced together.
      merged.push(...(await mergeDownTo(group, Math.max(count, Math.ceil(group.length / 8)), breather)));
    }
    if (merged.length === remaining.length) break;
    remaining = merged;
  }
  return mergeDownTo(remaining, count, breather);
}

async function mergeDownTo(clusters: Cluster[], count: number, breather: Breather): Promise<Cluster[]> {
  const size = clusters.length;
  const alive = clusters.map(() => true);
  const cost = new Float64Array(size * size).fill(Infinity);
  const nearest = new Int32Array(size).fill(-1);
  const findNearest = (row: number) => {
    nearest[row] = -1;
    for (let other = 0; other < size; other++) {
      if (other === row || !alive[other]) continue;
      if (nearest[row] === -1 || cost[row * size + other]! < cost[row * size + nearest[row]]!)
        nearest[row] = other;
    }
  };
  for (let row = 0; row < size; row++) {
    await breather.breathe();
    for (let other = row + 1; other < size; other++) {
      cost[row * size + other] = cost[other * size + row] = mergeCost(clusters[row]!, clusters[other]!);
    }
  }
  for (let row = 0; row < size; row++) findNearest(row);
  for (let left = size; left > count; left--) {
    await breather.breathe();
    let kept = -1;
    for (let row = 0; row < size; row++) {
      if (!alive[row]) continue;
      if (kept === -1 || cost[row * size + nearest[row]!]! < cost[kept * size + nearest[kept]!]!) kept = row;
    }
    const gone = nearest[kept]!;
    clusters[kept]!.statistics.add(clusters[gone]!.statistics);
    clusters[kept]!.members.push(...clusters[gone]!.members);
    alive[gone] = false;
    for (let other = 0; other < size; other++) {
      if (!alive[other] || other === kept) continue;
      cost[kept * size + other] = cost[other * size + kept] = mergeCost(clusters[kept]!, clusters[other]!);
    }
    for (let row = 0; row < size; row++) {
      if (!alive[row]) continue;
      const own = nearest[row]!;
      if (row === kept || own === kept || own === gone) findNearest(row);
      else if (cost[row * size + kept]! < cost[row * size + own]!) nearest[row] = kept;
    }
  }
  return clusters.filter((_, index) => alive[index]);
}

function mergeCost(a: Cluster, b: Cluster): number {
  return (
    likelihoodRatio(a.statistics, b.statistics) -
    secondGaussianPenalty(a.statistics.frames + b.statistics.frames)
  );
}
