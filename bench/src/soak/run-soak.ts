import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { shown } from '../figure';
import { loadNow, type Machine } from '../machine';
import { table } from '../markdown-table';
import type { Bench } from '../measurement';
import { quantile } from '../statistics';
import { Load } from './load';
import { Sampler } from './sampler';
import { judge, type Series, type Verdict } from './verdict';

const DEFAULT_MINUTES = 30;
const SAMPLE_EVERY_SECONDS = 5;
/** Latency is the machine's as well: it may half as much again, and no more. */
const LATENCY = { share: 0.5, atLeast: 500 };

export interface SoakRun {
  readonly bench: Omit<Bench, 'pairs'>;
  readonly machine: Machine;
  readonly begunAt: Date;
  readonly loadBefore: string;
  readonly print: (text: string) => void;
}

/** How long; a sentence instead where the setting is no such number. */
export function soakMinutes(setting = process.env['CURRAWONG_SOAK_MINUTES']): number | string {
  const minutes = Number(setting ?? DEFAULT_MINUTES);
  return minutes >= 1 && minutes <= 24 * 60
    ? minutes
    : `CURRAWONG_SOAK_MINUTES must be a number from 1 to 1440, not ${setting}.`;
}

/**
 * As much work as the machine holds, for a long time, while everything that could grow is watched. Writes bench/SOAK.md.
 * @returns the exit code: 1 where something that should be flat is not, or a job was lost
 */
export async function runSoak(minutes: number, run: SoakRun): Promise<number> {
  const { bench, print } = run;
  // The services' own probes and limits stay as they are; only the engine is none.
  const platform = await bench.platform({ env: { RECOGNIZER: 'null' } });
  const sampler = await Sampler.open(platform);
  const load = await Load.open(platform);
  const working = load.run();
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1_000;
  let finishedBefore = 0;
  let sampledAt = 0;
  try {
    while (elapsed() < minutes * 60) {
      await sleep(SAMPLE_EVERY_SECONDS * 1_000);
      const seconds = elapsed();
      await sampler.take(seconds);
      const latencies = load.takeLatencies();
      sampler.note(
        seconds,
        'upload to completed, median',
        latencies.length > 0 ? quantile(latencies, 0.5) : NaN,
        'ms',
        LATENCY,
      );
      sampler.note(
        seconds,
        'upload to completed, 95 %',
        latencies.length > 0 ? quantile(latencies, 0.95) : NaN,
        'ms',
        LATENCY,
      );
      sampler.note(
        seconds,
        'jobs a second',
        (load.finished - finishedBefore) / (seconds - sampledAt),
        '',
        null,
      );
      [finishedBefore, sampledAt] = [load.finished, seconds];
      if (Math.floor(seconds / 60) > Math.floor((seconds - SAMPLE_EVERY_SECONDS) / 60))
        print(`    ${Math.floor(seconds / 60)} of ${minutes} min: ${load.finished} jobs`);
    }
  } finally {
    load.stop();
    await working;
    await sampler.close();
  }
  const ledger = await platform.admin<{ problems: string[] }>('ledger', 'check');
  const text = report(run, minutes, load, ledger.problems, sampler.all());
  print(`\n${text}`);
  writeFileSync(join(bench.repositoryFolder, 'bench', 'SOAK.md'), text);
  const verdicts = judged(sampler.all());
  return verdicts.every(({ isFlat }) => isFlat !== false) && ledger.problems.length === 0 ? 0 : 1;
}

function judged(series: readonly Series[]): Verdict[] {
  return series.map(judge).filter((verdict) => verdict !== undefined);
}

function report(
  { machine, begunAt, loadBefore }: SoakRun,
  minutes: number,
  load: Load,
  problems: readonly string[],
  series: readonly Series[],
): string {
  const verdicts = judged(series);
  const growing = verdicts.filter(({ isFlat }) => isFlat === false);
  const value = (number: number, unit: string) => `${shown(number)}${unit && ` ${unit}`}`;
  return [
    '# Soak',
    '',
    'Written by `npm run bench -- soak`; `CURRAWONG_SOAK_MINUTES` says how long. Eight accounts with four unfinished recordings',
    'of 3 s each send the next one as soon as one has ended; the engine is none, so that everything else is what works. Growth is',
    'that of the line of least squares after the first 30 % of the time; what is allowed is in the last but one column, and what',
    'grows with the jobs that were done has none.',
    '',
    `- Begun: ${begunAt.toISOString()}, ${minutes} min, ${load.finished} jobs`,
    `- Machine: ${machine.description}`,
    `- Load (one minute) before: ${loadBefore}, after: ${loadNow()}`,
    `- Versions: ${machine.versions.map(([name, version]) => `${name} ${version}`).join(', ')}`,
    `- Ledger: ${problems.length === 0 ? 'no problems' : problems.join('; ')}`,
    `- Refusals and failures: ${load.trouble.size === 0 ? 'none' : [...load.trouble].map(([said, times]) => `${times} × ${said}`).join('; ')}`,
    `- Verdict: ${growing.length === 0 ? 'everything that should be flat is' : `not flat: ${growing.map(({ name }) => name).join(', ')}`}`,
    '',
    ...table(
      ['what', 'first', 'median', 'last', 'most', 'growth', 'an hour', 'allowed', 'flat'],
      verdicts.map((one) => [
        one.name,
        ...[one.first, one.median, one.last, one.most, one.growth, one.perHour].map((number) =>
          value(number, one.unit),
        ),
        one.allowed === null ? '–' : value(one.allowed, one.unit),
        one.isFlat === null ? '–' : one.isFlat ? 'yes' : 'NO',
      ]),
    ),
    '',
  ].join('\n');
}
