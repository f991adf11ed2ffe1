import { availableParallelism, loadavg } from 'node:os';

/** More processes than these wait for each core, and everything takes longer than it would here by itself. */
const USUAL_LOAD_PER_CORE = 3;
const MOST = 6;

/** By how much bounds in seconds are to be stretched now, because others keep this machine busy; 1 as a rule. */
export function stretch(load = loadavg()[0] ?? 0, cores = availableParallelism()): number {
  return Math.min(MOST, Math.max(1, load / cores / USUAL_LOAD_PER_CORE));
}
