import { figure } from './figure';
import { line, markdown, type Report } from './report';

const reached = figure([0.95, 0.97, 0.91], {
  ...{ row: 3, what: 'reads', rangeOf: '3 pairs', aim: { atLeast: 0.9 }, how: 'By reading.' },
});
const missed = figure([70], {
  ...{ row: 2, what: 'growth', unit: 'MiB', rangeOf: 'one run', aim: { atMost: 64 }, how: 'By growing.' },
});
const absolute = figure([41.2, 44.8], { what: 'jobs/s', unit: 'jobs/s', rangeOf: '2 rounds', how: 'All.' });
const report: Report = {
  begunAt: new Date('2026-01-02T03:04:05Z'),
  seconds: 61.2,
  pairs: 3,
  machine: { description: '2 cores', versions: [['Node', '24.0.0']] },
  loadBefore: '0.10',
  loadAfter: '1.90',
  figures: [absolute, reached, missed],
  gaps: [['upload', 'not asked for']],
  notMeasuredYet: [['8', 'ledger']],
};

it('lists what was measured in the order of the aims, each with its range and verdict', () => {
  const rows = markdown(report)
    .split('\n')
    .filter((text) => text.startsWith('|'))
    .map((text) => text.split('|').map((cell) => cell.trim()))
    .slice(2);
  expect(rows.map((row) => row.slice(1, -1))).toEqual([
    ['2', 'growth', '70.0 MiB', 'one run', '≤ 64 MiB', 'no'],
    ['3', 'reads', '0.950', '0.910 – 0.970, 3 pairs', '≥ 0.9', 'yes'],
    ['–', 'jobs/s', '43.0 jobs/s', '41.2 – 44.8, 2 rounds', '–', '–'],
  ]);
});

it('says what it lacks, on what machine it ran and how busy that was', () => {
  const text = markdown(report);
  for (const part of ['2026-01-02T03:04:05', '2 cores', 'Node 24.0.0', 'before: 0.10, after: 1.90'])
    expect(text).toContain(part);
  expect(text).toContain('## Not measured in this run\n\n- upload: not asked for');
  expect(text).toContain('## Not measured yet\n\n- Row 8: ledger.');
  expect(markdown({ ...report, gaps: [] })).not.toContain('Not measured in this run');
});

it('tells a watcher the same on a line', () => {
  expect(line(missed)).toBe('  ✗ growth: 70.0 MiB  (one run)  aim ≤ 64 MiB');
  expect(line(reached)).toBe('  ✓ reads: 0.950  (0.910 – 0.970, 3 pairs)  aim ≥ 0.9');
});
