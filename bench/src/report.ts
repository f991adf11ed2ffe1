import { aimText, type Figure, isReached, shown } from './figure';
import type { Machine } from './machine';
import { table } from './markdown-table';

export interface Report {
  readonly begunAt: Date;
  readonly seconds: number;
  readonly pairs: number;
  readonly machine: Machine;
  readonly loadBefore: string;
  readonly loadAfter: string;
  readonly figures: readonly Figure[];
  /** Measurements that were not asked for, could not be made or failed, with the reason. */
  readonly gaps: readonly (readonly [name: string, reason: string])[];
  readonly notMeasuredYet: readonly (readonly [row: string, what: string])[];
}

/** bench/RESULTS.md: figures of this run alone. */
export function markdown(report: Report): string {
  const { machine, figures, gaps, notMeasuredYet } = report;
  const rows = [...figures].sort((a, b) => (a.row ?? Infinity) - (b.row ?? Infinity));
  return [
    '# Speed, as measured',
    '',
    'Written by `npm run bench`. Each ratio compares two sides in one run, in turns (A/B/A/B), on the same servers with',
    'the settings of production; the figure is the median unless it says otherwise, and is judged as measured, not as',
    'rounded. An absolute figure tells about this machine alone.',
    '',
    `- Begun: ${report.begunAt.toISOString()}, took ${Math.round(report.seconds)} s, ${report.pairs} pairs`,
    `- Machine: ${machine.description}`,
    `- Load (one minute) before: ${report.loadBefore}, after: ${report.loadAfter}`,
    `- Versions: ${machine.versions.map(([name, version]) => `${name} ${version}`).join(', ')}`,
    '- CPU seconds are those of the named processes and their children, without Postgres, NATS and the store.',
    '',
    ...table(
      ['#', 'what', 'figure', 'range', 'aim', 'reached'],
      rows.map((one) => [
        one.row === undefined ? '–' : String(one.row),
        one.what,
        withUnit(shown(one.value), one),
        rangeText(one),
        aimText(one),
        reachedText(one),
      ]),
    ),
    '',
    '## How',
    '',
    ...rows.map((one) => `- ${one.row === undefined ? '' : `Row ${one.row}, `}${one.what}: ${one.how}`),
    '',
    ...section(
      'Not measured in this run',
      gaps.map(([name, reason]) => `- ${name}: ${reason}`),
    ),
    ...section(
      'Not measured yet',
      notMeasuredYet.map(([row, what]) => `- Row ${row}: ${what}.`),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** The same on one line, for whoever watches. */
export function line(one: Figure): string {
  const verdict = { yes: '✓', no: '✗', '–': ' ' }[reachedText(one)];
  const aim = one.aim ? `  aim ${aimText(one)}` : '';
  return `  ${verdict} ${one.what}: ${withUnit(shown(one.value), one)}  (${rangeText(one)})${aim}`;
}

function reachedText(one: Figure): 'yes' | 'no' | '–' {
  const reached = isReached(one);
  return reached === undefined ? '–' : reached ? 'yes' : 'no';
}

function rangeText({ low, high, rangeOf }: Figure): string {
  const range = `${shown(low)} – ${shown(high)}`;
  return low === high ? rangeOf : `${range}, ${rangeOf}`;
}

function withUnit(text: string, { unit }: Figure): string {
  return unit ? `${text} ${unit}` : text;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [`## ${title}`, '', ...lines, ''] : [];
}
