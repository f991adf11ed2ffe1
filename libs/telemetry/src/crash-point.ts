/**
 * The moments at which it matters most that a process may end without warning: something has been done that others can see,
 * and what belongs to it has not. The fault harness ends the process there; docs/faults.md tells how.
 */
export const CRASH_POINTS = {
  'outbox.committed': {
    services: ['jobs', 'billing'],
    between: 'a commit and the publishing of its messages',
  },
  'outbox.published': {
    services: ['jobs', 'billing'],
    between: 'a publishing and the note that it was sent',
  },
  'submission.held': {
    services: ['jobs'],
    between: "a job's hold and the row that says that it is accepted",
  },
  'submission.accepted': {
    services: ['jobs'],
    between: 'the acceptance of a job and the answer to the gateway',
  },
  'discard.marked': {
    services: ['jobs'],
    between: 'the mark of a discarded job and the undoing of what it left',
  },
  'discard.released': {
    services: ['jobs'],
    between: 'the release of a discarded hold and the deletion of its objects',
  },
  'discard.deleted': { services: ['jobs'], between: 'the deletion of discarded objects and the note of it' },
  'results.recorded': {
    services: ['jobs'],
    between: "the commit of a worker's report and its acknowledgement",
  },
  'settlement.captured': { services: ['jobs'], between: 'a charge and the commit that completes its job' },
  'settlement.released': { services: ['jobs'], between: 'a release and the commit that fails its job' },
  'journal.committed': { services: ['billing'], between: 'the commit of a booking and its answer' },
  'upload.stored': { services: ['gateway'], between: 'the storing of a recording and its submission' },
  'receipt.accepted': { services: ['gateway'], between: "a job's acceptance and its receipt for the client" },
  'worker.claimed': { services: ['worker'], between: 'the claim of a piece of work and its beginning' },
  'worker.finished': { services: ['worker'], between: 'a stored result and its report' },
  'worker.reported': { services: ['worker'], between: 'a report and the acknowledgement of its message' },
} as const satisfies Record<string, { services: readonly string[]; between: string }>;

export type CrashPoint = keyof typeof CRASH_POINTS;

/**
 * Ends this process at once, as kill -9 does, where CURRAWONG_CRASH_AT names this point: `settlement.captured`, or
 * `settlement.captured:3` for the third time that it is reached. Without the variable it does nothing at all.
 */
export const crashPoint: (name: CrashPoint) => void = armed(process.env['CURRAWONG_CRASH_AT']);

export function armed(
  setting: string | undefined,
  die: () => void = () => process.kill(process.pid, 'SIGKILL'),
): (name: CrashPoint) => void {
  if (setting === undefined || setting === '') return () => undefined;
  const [, wanted = '', times = '1'] = /^([a-z.]+)(?::([1-9]\d*))?$/.exec(setting) ?? [];
  if (!(wanted in CRASH_POINTS)) {
    throw new Error(
      `CURRAWONG_CRASH_AT is ${setting}: it must be one of ${Object.keys(CRASH_POINTS).join(', ')}, with :N for the Nth time.`,
    );
  }
  let left = Number(times);
  return (name) => {
    if (name !== wanted) return;
    left -= 1;
    if (left === 0) die();
  };
}
