import { billableSeconds, publicStatus, type JobState } from './job';
import { afterLostAttempt, queueLeaseSeconds, retryDelaySeconds } from './attempts';
import { jobProgress, type ItemProgress } from './progress';

test.each<[JobState, string]>([
  ['uploading', 'uploading'],
  ['pending', 'pending'],
  ['processing', 'processing'],
  ['settling', 'processing'],
  ['completed', 'completed'],
  ['failed', 'failed'],
])('%s is shown as %s', (state, shown) => {
  expect(publicStatus(state)).toBe(shown);
});

test.each([
  [0, 0],
  [0.49, 0],
  [0.5, 1],
  [29.49, 29],
  [59.5, 60],
])('%d decoded seconds are charged as %i', (decoded, charged) => {
  expect(billableSeconds(decoded)).toBe(charged);
});

describe('attempts', () => {
  it('end at the third that is lost', () => {
    expect([0, 1, 2].map((failures) => afterLostAttempt(failures))).toEqual([
      { again: true, failures: 1 },
      { again: true, failures: 2 },
      { again: false, failures: 3 },
    ]);
  });

  it('that failed are tried again after a while, then after a longer one', () => {
    expect([1, 2].map((failures) => retryDelaySeconds(failures, 5))).toEqual([5, 20]);
  });

  it('that nobody claims are sent again ever more rarely, at least hourly', () => {
    expect([0, 1, 2, 5, 6, 50].map((resends) => queueLeaseSeconds(resends, 60))).toEqual([
      60, 120, 240, 1920, 3600, 3600,
    ]);
  });
});

describe('progress', () => {
  const item = (
    stage: ItemProgress['stage'],
    state: ItemProgress['state'],
    fraction = 0,
    chunk_index = 0,
  ): ItemProgress => ({ stage, state, fraction, chunk_index });

  it('of a recording done in one go is what its worker says', () => {
    expect(jobProgress([item('whole', 'running', 0.4)], null)).toBe(0.4);
  });

  it('before any work is nothing', () => {
    expect(jobProgress([], null)).toBe(0);
    expect(jobProgress([item('prepare', 'queued')], null)).toBe(0);
  });

  it('of a long recording grows with its chunks to one', () => {
    const chunks = (done: number) => [
      item('prepare', 'done', 1),
      ...Array.from({ length: 4 }, (_, index) =>
        item('recognize', index < done ? 'done' : 'queued', 0, index),
      ),
    ];
    const seen = [0, 1, 2, 3, 4].map((done) => jobProgress(chunks(done), 4));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen[0]).toBeCloseTo(0.05);
    expect(jobProgress([...chunks(4), item('assemble', 'done', 1)], 4)).toBeCloseTo(1);
  });

  it('does not count what was recognized of chunks beyond the last one', () => {
    const chunks = [0, 1, 2].map((index) => item('recognize', index === 0 ? 'queued' : 'done', 0, index));
    expect(jobProgress([item('prepare', 'done', 1), ...chunks], 1)).toBeCloseTo(0.05);
  });

  it('does not count chunks that are still to be cut as done', () => {
    const early = jobProgress([item('prepare', 'running', 0.1), item('recognize', 'done')], null);
    expect(early).toBeLessThan(0.2);
  });
});
