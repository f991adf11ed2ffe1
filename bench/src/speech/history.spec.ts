import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendHistory, type HistoryLine, readHistory, regressions } from './history';

const line = (figures: HistoryLine['figures'], over: Partial<HistoryLine> = {}): HistoryLine => ({
  ...{ date: '2026-11-01T10:00:00.000Z', commit: 'abc1234', machine: 'one', load: '0.10', recordings: 'r1' },
  figures,
  ...over,
});

it('says nothing of what stayed the same, got better or is within the noise', () => {
  const before = line({ wer: { value: 10, noise: 0 }, factor: { value: 0.2, noise: 0.05, cost: true } });
  expect(regressions([], before)).toEqual([]);
  expect(regressions([before], before)).toEqual([]);
  const now = line({ wer: { value: 9, noise: 0 }, factor: { value: 0.24, noise: 0.01, cost: true } });
  expect(regressions([before], now)).toEqual([]);
});

it('names what got worse by more than the noise, since it was last measured', () => {
  const before = line({ wer: { value: 10, noise: 0 } });
  const other = line({ 'something else': { value: 1, noise: 0 } });
  expect(regressions([before, other], line({ wer: { value: 10.5, noise: 0.1 } }))).toEqual([
    'wer got worse: 10.5 instead of 10 on 2026-11-01 (abc1234), more than the noise of 0.1',
  ]);
});

it('compares with runs on the same recordings, and times with runs on the same machine', () => {
  const now = line({ wer: { value: 10, noise: 0 }, factor: { value: 1, noise: 0, cost: true } });
  const better = { wer: { value: 1, noise: 0 }, factor: { value: 0.1, noise: 0, cost: true } } as const;
  expect(regressions([line(better, { recordings: 'r2' })], now)).toEqual([]);
  expect(regressions([line(better, { machine: 'two' })], now)).toHaveLength(1);
});

it('keeps one line a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'currawong-history-'));
  const path = join(folder, 'history', 'speech.jsonl');
  try {
    expect(readHistory(path)).toEqual([]);
    const first = line({ wer: { value: 10, noise: 0 } });
    appendHistory(path, first);
    appendHistory(path, line({}));
    expect(readHistory(path)).toEqual([first, line({})]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
