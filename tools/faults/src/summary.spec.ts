import type { RunReport } from './run';
import { summary } from './summary';

const report: RunReport = {
  problems: [],
  rounds: 4,
  injected: { network: 3, crowd: 1 },
  skipped: {},
  jobs: { accepted: 12 },
  slowestRecoverySeconds: 2.34,
  slowestQuietSeconds: 5.67,
  messagesCompared: 89,
  answers: { 'GET /jobs 200': 4 },
};

it('says what happened, and that everything held', () => {
  const said = summary(report, 7);
  expect(said).toContain('4 rounds, seed 7\nfaults: crowd 1, network 3\n');
  expect(said).not.toContain('skipped');
  expect(said.endsWith('\nEvery invariant held.')).toBe(true);
});

it('says which faults this machine does not allow, and why', () => {
  const reason = 'only root on Linux can mount a small disk';
  const skipped = { 'disk-full-postgres': reason, 'disk-full-nats': reason };
  expect(summary({ ...report, skipped }, 7)).toContain(
    `\nskipped: disk-full-nats, disk-full-postgres: ${reason}\n`,
  );
});

it('says everything that is broken', () => {
  const said = summary({ ...report, problems: ['I1: one', 'I4: another'] }, 7);
  expect(said.endsWith('\n2 problems:\n  ✗ I1: one\n  ✗ I4: another')).toBe(true);
});
