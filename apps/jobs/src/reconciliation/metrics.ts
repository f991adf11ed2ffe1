import { Gauge } from 'prom-client';
import { DIFFERENCES, type Difference } from './difference';

const differences = new Gauge({
  name: 'currawong_hold_differences',
  help: 'Jobs about which this service and billing contradicted each other in two rounds running',
  labelNames: ['kind'],
});
const lastRound = new Gauge({
  name: 'currawong_hold_comparison_timestamp_seconds',
  help: 'When jobs and holds were last compared to the end; 0 before the first time',
});
for (const kind of DIFFERENCES) differences.set({ kind }, 0);

/** @param found the contradictions that stand, one for each job */
export function showDifferences(found: Iterable<Difference>): void {
  const counts = new Map<Difference, number>(DIFFERENCES.map((kind) => [kind, 0]));
  for (const kind of found) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) differences.set({ kind }, count);
  lastRound.setToCurrentTime();
}
