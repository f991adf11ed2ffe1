import type { RunReport } from './run';

/** What is said at the end of a run. */
export function summary(report: RunReport, seed: number): string {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `${report.rounds} rounds, seed ${seed}`,
    `faults: ${list(report.injected)}`,
    ...skipped(report),
    `jobs: ${list(report.jobs)}`,
    `answers: ${list(report.answers)}`,
    `slowest recovery: healthy after ${report.slowestRecoverySeconds.toFixed(1)} s, everything ended after ${report.slowestQuietSeconds.toFixed(1)} s; ${report.messagesCompared} messages compared with the database`,
    ...(report.problems.length === 0
      ? ['Every invariant held.']
      : [`${report.problems.length} problems:`, ...report.problems.map((problem) => `  ✗ ${problem}`)]),
  ].join('\n');
}

/** One line for each reason. */
function skipped({ skipped }: RunReport): string[] {
  const reasons = new Set(Object.values(skipped));
  return [...reasons].map((reason) => {
    const names = Object.keys(skipped).filter((name) => skipped[name] === reason);
    return `skipped: ${names.sort().join(', ')}: ${reason}`;
  });
}
