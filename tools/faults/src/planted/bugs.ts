/** One exact text of a built file, and what takes its place. */
export interface Edit {
  /** Below the repository. */
  readonly file: string;
  /** Must be found in the file exactly once; blanks and line ends count as one blank. */
  readonly text: string;
  readonly by: string;
}

/** A bug that is put into a copy of the built services, and the faults among which it must be found. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly faults: readonly string[];
  /** What must be said of it: by which invariant, and why. */
  readonly found: RegExp;
}

export const PLANTED: readonly PlantedBug[] = [
  {
    // A worker that finishes late ends the attempt of its successor.
    name: 'fence-removed',
    edits: [
      {
        file: 'apps/jobs/dist/storage/work-records.js',
        text: "SET state = 'done', fraction = 1, finished_at = now() WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING",
        by: "SET state = 'done', fraction = 1, finished_at = now() WHERE id = $1 AND attempt >= $2 RETURNING",
      },
    ],
    faults: ['worker-paused'],
    found: /^I2: .* ended with the result of attempt \d+, but attempt \d+ was the one that counted/,
  },
  {
    // The stream has seen the id and swallows the message.
    name: 'message-id-reused',
    edits: [
      {
        file: 'apps/jobs/dist/storage/work-records.js',
        text: 'attempt = attempt + 1, worker = NULL',
        by: 'attempt = attempt, worker = NULL',
      },
    ],
    faults: ['worker-paused'],
    found: /^I2: Job .* is still (pending|processing) after .*queued, attempt 1/,
  },
  {
    // What is told may never become true.
    name: 'publish-before-commit',
    edits: [
      {
        file: 'libs/database/dist/outbox.js',
        text: 'written.push({ id: inserted.id, ...message });',
        by: 'await this.push({ id: inserted.id, ...message });',
      },
    ],
    faults: ['poison-files'],
    found: /^I2: work\.\S+ was sent for attempt \d+ of \S+ before that was committed/,
  },
  {
    // Whoever reports is paid for, whether or not the report counts.
    name: 'charge-before-fence',
    edits: [
      {
        file: 'apps/jobs/dist/results/results.controller.js',
        text: 'let reported;',
        by: `let reported;
          if (outcome.kind === 'transcribed')
            await this.settlement.requester.ask(_contracts.CaptureForJob, {
              job_id: reference.job_id,
              seconds: Math.round(outcome.duration_seconds),
            });`,
      },
    ],
    faults: ['late-report-then-lost'],
    found: /^I3: .* is (settling|failed) and was charged/,
  },
  {
    name: 'hold-not-released',
    edits: [
      {
        file: 'apps/jobs/dist/results/settlement.js',
        text: "if (job.outcome === 'failed') { await this.release(job);",
        by: "if (job.outcome === 'failed') {",
      },
    ],
    faults: ['poison-files'],
    found: /^I1: The hold of job \S+ is open, but the job is failed/,
  },
  {
    name: 'object-not-deleted',
    edits: [
      {
        file: 'apps/jobs/dist/intake/discard.js',
        text: 'await this.store.delete(job.source_key);',
        by: '',
      },
    ],
    faults: ['poison-files'],
    found: /^I4: Object audio\/\S+ is still there: its job was discarded/,
  },
  {
    // A job that has ended ends again, and every time at another moment.
    name: 'terminal-state-overwritten',
    edits: [
      {
        file: 'apps/jobs/dist/rescue/unsettled-jobs.js',
        text: "WHERE state = 'settling' AND",
        by: "WHERE state IN ('settling', 'completed') AND",
      },
      {
        file: 'apps/jobs/dist/storage/job-records.js',
        text: "SELECT * FROM jobs WHERE id = $1 AND state = 'settling' FOR UPDATE SKIP LOCKED",
        by: "SELECT * FROM jobs WHERE id = $1 AND state IN ('settling', 'completed') FOR UPDATE SKIP LOCKED",
      },
      {
        file: 'apps/jobs/dist/lifecycle/transition.js',
        text: "case 'settled': return from(job, [ 'settling' ]",
        by: "case 'settled': return from(job, [ 'settling', 'completed' ]",
      },
    ],
    faults: ['delivered-twice'],
    found: /^I2: Job \S+: it had ended as .* and was then shown as/,
  },
];
