import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One run, one line of bench/history/speech.jsonl. */
export interface HistoryLine {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly load: string;
  /** A digest of the manifest: figures of other recordings are not compared. */
  readonly recordings: string;
  /** By name, for example `pocketsphinx word error rate %`. */
  readonly figures: Readonly<Record<string, HistoryFigure>>;
}

/** Smaller is better. */
export interface HistoryFigure {
  readonly value: number;
  /** How far apart the rounds of one run were. */
  readonly noise: number;
  /** Of time or memory: compared on the same machine alone. */
  readonly cost?: true;
}

export function readHistory(path: string): HistoryLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as HistoryLine);
}

export function appendHistory(path: string, line: HistoryLine): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

/** Rounding of a figure is not a change of it. */
const leastChange = 1e-6;

/**
 * A sentence for each figure that got worse than when it was last measured on these recordings (what costs time or
 * memory: on this machine), by more than the rounds of either run were apart.
 */
export function regressions(history: readonly HistoryLine[], now: HistoryLine): string[] {
  return Object.entries(now.figures).flatMap(([name, { value, noise, cost }]) => {
    const last = history.findLast(
      (line) =>
        line.figures[name] && line.recordings === now.recordings && (!cost || line.machine === now.machine),
    );
    if (!last) return [];
    const before = last.figures[name]!;
    const margin = Math.max(noise, before.noise) + leastChange;
    if (value - before.value <= margin) return [];
    const shown = (number: number) => Number(number.toPrecision(4));
    return [
      `${name} got worse: ${shown(value)} instead of ${shown(before.value)} on ${last.date.slice(0, 10)} (${last.commit}), ` +
        `more than the noise of ${shown(Math.max(noise, before.noise))}`,
    ];
  });
}
