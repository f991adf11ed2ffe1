import { ClientRecord, type Account } from '../load/record';
import { brokenInvariants } from './check';
import type { Facts, HoldRow, JobRow } from './facts';

const ACCOUNT = '00000000-0000-7000-8000-00000000000a';
const JOB = '00000000-0000-7000-8000-000000000001';
const ITEM = '00000000-0000-7000-8000-0000000000b1';
const SOURCE = `audio/${ACCOUNT}/${JOB}/source`;
const RESULT = `results/${JOB}/${ITEM}-2.json`;
const NOW = new Date('2026-01-01T12:00:00Z');
const account: Account = { name: 'rich', id: ACCOUNT, apiKey: 'sk', mode: 'live' };

const completed: JobRow = {
  id: JOB,
  account_id: ACCOUNT,
  mode: 'live',
  state: 'completed',
  outcome: 'completed',
  original_filename: 'short-1.wav',
  source_key: SOURCE,
  result_key: RESULT,
  voices_key: null,
  cost_micro_aud: '10000',
  duration_seconds: 30,
  changed_at: NOW,
  completed_at: NOW,
  cleared_at: null,
  audio_erased_at: null,
  deleted_at: null,
};

const captured: HoldRow = {
  job_id: JOB,
  account_id: ACCOUNT,
  state: 'captured',
  charged_micro_aud: '10000',
  paid_seconds: '30',
  free_seconds: '0',
  captured_free_seconds: '0',
  captured_paid_seconds: '30',
};

/** One job, completed at its second attempt and paid for, as its client knows it. */
function facts(): { -readonly [Name in keyof Facts]: Facts[Name] } {
  const clients = new ClientRecord();
  const submission = {
    ...{ filename: 'short-1.wav', account, seconds: 30, webhookUrl: 'http://127.0.0.1:1/' },
    ...{ answers: [], jobIds: new Set<string>() },
  };
  clients.submissions.push(submission);
  const job = clients.receipt(submission, answer(200, { job_id: JOB }))!;
  clients.seen(job, answer(200, { status: 'completed', completed_at: NOW.toISOString(), cost_aud: 0.01 }));
  return {
    jobs: [completed],
    workItems: [
      { id: ITEM, job_id: JOB, stage: 'whole', state: 'done', attempt: 2, worker: 'w', last_error: null },
    ],
    holds: [captured],
    bookings: [
      { job_id: JOB, kind: 'hold', times: 1 },
      { job_id: JOB, kind: 'capture', times: 1 },
    ],
    sums: [{ unit: 'micro_aud', amount: '0' }],
    ...{ ledgerProblems: [], waitingMessages: [], uploads: [], messageProblems: [], deletions: [] },
    told: [{ webhookId: 'msg_1', type: 'job.completed', jobId: JOB }],
    objects: [SOURCE, RESULT].map((key) => ({ key, writtenAt: NOW, sizeBytes: 1 })),
    now: NOW,
    clients,
    listed: [{ account: ACCOUNT, id: JOB, filename: 'short-1.wav', status: 'completed' }],
    credit: [{ account: ACCOUNT, usedAud: '0.01' }],
  };
}

function answer(status: number, body: Record<string, unknown>) {
  return { kind: 'answered', status, body, seconds: 0.1 } as const;
}

const released: HoldRow = { ...captured, state: 'released', charged_micro_aud: null };
const discarded: JobRow = {
  ...completed,
  ...{ state: 'discarded', outcome: null, completed_at: null, result_key: null, cost_micro_aud: null },
};

it('a job that ended well breaks nothing', () => {
  expect(brokenInvariants(facts())).toEqual([]);
});

/** What is changed, and what has to be said of it. */
const broken: [string, (all: ReturnType<typeof facts>) => void, RegExp][] = [
  [
    'a sum that is not zero',
    (all) => (all.sums = [{ unit: 'micro_aud', amount: '5' }]),
    /^I1: .* sum to 5 micro_aud/,
  ],
  ['what the ledger says of itself', (all) => (all.ledgerProblems = ['Account …']), /^I1: Account …/],
  [
    'an open hold of an ended job',
    (all) => (all.holds = [{ ...captured, state: 'pending' }]),
    /^I1: .*open.*completed/,
  ],
  [
    'an open hold of no job',
    (all) => (all.holds = [captured, { ...released, state: 'pending', job_id: 'x' }]),
    /^I1: .*open.*unknown/,
  ],
  [
    'a job without an end',
    (all) => (all.jobs = [{ ...completed, state: 'processing' }]),
    /^I2: .*still processing.*whole done/,
  ],
  [
    'a message that was not sent',
    (all) => (all.waitingMessages = [{ schema: 'jobs', message_id: 'm' }]),
    /^I2: Message m/,
  ],
  ['a message ahead of its commit', (all) => (all.messageProblems = ['work.whole …']), /^I2: work\.whole/],
  [
    'an end that changed',
    (all) => all.clients.seen(all.clients.jobs.get(JOB)!, answer(200, { status: 'processing' })),
    /^I2: .*had ended as .*completed.* then shown as .*processing/,
  ],
  [
    'the result of an older attempt',
    (all) => (all.workItems = [{ ...all.workItems[0]!, attempt: 3 }]),
    /^I2: .*result of attempt 2, but attempt 3/,
  ],
  ['no charge', (all) => (all.holds = [released]), /^I3: .*completed and was not charged/],
  [
    'two charges',
    (all) => (all.bookings = [{ job_id: JOB, kind: 'capture', times: 2 }]),
    /^I3: .*charged 2 times/,
  ],
  [
    'a charge of something else',
    (all) => (all.holds = [{ ...captured, charged_micro_aud: '9999' }]),
    /^I3: .*charged 9999/,
  ],
  [
    'a charge for more than was sent',
    (all) => (all.holds = [{ ...captured, captured_paid_seconds: '31', charged_micro_aud: '10333' }]),
    /^I3: .*charged for 31 s; its recording has 30 s/,
  ],
  [
    'a charge for a failed job',
    (all) => (all.jobs = [{ ...completed, state: 'failed', outcome: 'failed' }]),
    /^I3: .*failed and was charged/,
  ],
  ['a charge without a job', (all) => (all.jobs = []), /^I3: .*there is no such job/],
  [
    'credit that does not tell',
    (all) => (all.credit = [{ account: ACCOUNT, usedAud: '0.02' }]),
    /^I3: .*used AUD 0\.02/,
  ],
  [
    'an object of no job',
    (all) => (all.objects = [...all.objects, { key: `work/${ITEM}/x`, writtenAt: NOW, sizeBytes: 1 }]),
    /^I4: Object work.*no such job/,
  ],
  [
    'an object of a discarded job',
    (all) => {
      all.jobs = [{ ...discarded, cleared_at: new Date(NOW.getTime() + 10_000) }];
    },
    /^I4: Object audio.*discarded/,
  ],
  [
    'an object of a job that was discarded in the second in which it was stored, since it was refused',
    (all) => {
      all.jobs = [{ ...discarded, cleared_at: new Date(NOW.getTime() + 500) }];
      all.clients.submissions[0]!.answers.splice(0, 1, answer(400, { detail: 'not audio' }));
    },
    /^I4: Object audio.*discarded/,
  ],
  [
    'an unfinished upload of a discarded job',
    (all) => {
      all.jobs = [{ ...discarded, cleared_at: NOW }];
      all.uploads = [{ key: SOURCE, begunAt: NOW }];
    },
    /^I4: The upload to audio.*discarded/,
  ],
  [
    'a job without its recording',
    (all) => (all.objects = all.objects.slice(1)),
    /^I4: .*its object audio.* is not there/,
  ],
  [
    'a job without its result',
    (all) => (all.objects = all.objects.slice(0, 1)),
    /^I4: .*its object results.* is not there/,
  ],
  ['a receipt for nothing', (all) => (all.jobs = []), /^I5: .*answered 200, but is not there/],
  ['a job that is not listed', (all) => (all.listed = []), /^I5: .*not in the list/],
  [
    'a job listed as something else',
    (all) => (all.listed = [{ ...all.listed[0]!, status: 'failed' }]),
    /^I5: .*listed as failed/,
  ],
  [
    'a second job',
    (all) => all.clients.submissions[0]!.jobIds.add('another'),
    /^I5: One submission of short-1\.wav has 2 jobs/,
  ],
  [
    'a job after a refusal',
    (all) => {
      all.clients.submissions.push({
        ...{ filename: 'refused.wav', account, seconds: 5, webhookUrl: undefined },
        ...{ answers: [answer(500, { detail: 'no' })], jobIds: new Set<string>() },
      });
      all.listed = [
        ...all.listed,
        { account: ACCOUNT, id: 'z', filename: 'refused.wav', status: 'completed' },
      ];
    },
    /^I5: refused\.wav was answered 500, but there is a job/,
  ],
  [
    'an answer that took too long',
    (all) => all.clients.answered('POST /transcribe', { ...answer(503, { detail: 'later' }), seconds: 61 }),
    /^I5: POST \/transcribe took 61 s/,
  ],
  ['an end that nobody was told', (all) => (all.told = []), /^I5: .*completed, and nobody was told/],
  [
    'an end that was told as another one',
    (all) => (all.told = [...all.told, { webhookId: 'msg_2', type: 'job.failed', jobId: JOB }]),
    /^I5: .*completed, but job\.failed was told/,
  ],
  [
    'an end that was told under two ids',
    (all) => (all.told = [...all.told, { ...all.told[0]!, webhookId: 'msg_2' }]),
    /^I5: .*under 2 ids/,
  ],
  [
    'an object of a deleted job',
    (all) =>
      (all.deletions = [{ job_id: JOB, cancelled_at: null, erased_at: new Date(NOW.getTime() + 10_000) }]),
    /^I4: Object audio.*was deleted/,
  ],
  [
    'an answer without a reason',
    (all) => all.clients.answered('GET /jobs', answer(500, {})),
    /^I5: .*without a detail/,
  ],
];

it.each(broken)('%s is seen', (_, change, sentence) => {
  const all = facts();
  change(all);
  expect(brokenInvariants(all)).toContainEqual(expect.stringMatching(sentence));
});

it('what a late worker wrote for a discarded job stays until the row goes', () => {
  const all = facts();
  all.jobs = [{ ...discarded, cleared_at: new Date(NOW.getTime() - 60_000) }];
  all.holds = [released];
  all.bookings = [];
  all.clients = new ClientRecord();
  all.listed = [];
  all.credit = [];
  expect(brokenInvariants(all)).toEqual([]);
});

it('what was deleted while the rows were read is not still there', () => {
  const all = facts();
  all.jobs = [{ ...completed, cleared_at: new Date(NOW.getTime() + 10_000) }];
  const left = { key: `work/${JOB}/x`, writtenAt: NOW, sizeBytes: 1 };
  all.objects = [...all.objects, left];
  expect(brokenInvariants(all)).toContainEqual(expect.stringMatching(/^I4: Object work.*was cleared/));
  all.objects = [...all.objects.slice(0, 2), { ...left, wentMeanwhile: true }];
  expect(brokenInvariants(all)).toEqual([]);
});
