import { exitCodeOf, sum, summaryLine, tallyCheck, tallyJest } from './test-summary';

const report = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

it('the last line has exactly the form that is promised', () => {
  expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(summaryLine({ passed: 12, failed: 1, skipped: 3 })).toBe('12 passed, 1 failed, 3 skipped');
});

it('checks count one each and are added to the tests', () => {
  const total = sum([
    tallyCheck(0),
    tallyCheck(2),
    tallyJest({ ...report, numPendingTests: 2, numTodoTests: 1 }, 0),
  ]);
  expect(total).toEqual({ passed: 6, failed: 1, skipped: 3 });
});

it('a test file that cannot be loaded is a failure', () => {
  expect(tallyJest({ ...report, numRuntimeErrorTestSuites: 1 }, 1)).toEqual({
    passed: 5,
    failed: 1,
    skipped: 0,
  });
});

it('a jest that crashed, or failed beside its tests, is a failure', () => {
  expect(tallyJest(undefined, 0).failed).toBe(1);
  expect(tallyJest(report, 1).failed).toBe(1);
});

it('only a run in which something passed and nothing failed is a success', () => {
  expect(exitCodeOf({ passed: 1, failed: 0, skipped: 9 })).toBe(0);
  expect(exitCodeOf({ passed: 1, failed: 1, skipped: 0 })).toBe(1);
  expect(exitCodeOf({ passed: 0, failed: 0, skipped: 9 })).toBe(1);
});
