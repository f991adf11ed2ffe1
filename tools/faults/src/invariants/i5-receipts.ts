import type { SeenJob, Submission } from '../load/record';
import type { Facts } from './facts';

/**
 * I5: every job that a client was told of with 200 exists and ends, one for each submission; of a submission that was
 * refused there is none; its end is told to its webhook at least once, always under one id; no answer is a lie.
 */
export function receiptsHold(facts: Facts): string[] {
  const { clients } = facts;
  return [
    ...[...clients.jobs.values()].flatMap((job) => brokenReceipt(job, facts)),
    ...clients.submissions.flatMap(twice),
    ...leftBehind(facts),
    ...[...clients.jobs.values()].flatMap((job) => untold(job, facts)),
    ...manyIds(facts),
    ...clients.impossible,
  ];
}

function brokenReceipt(job: SeenJob, { jobs, listed }: Facts): string[] {
  const name = `Job ${job.id} (${job.submission.filename})`;
  const row = jobs.find(({ id }) => id === job.id);
  if (job.deletion === 'erased') {
    return listed.some(({ id }) => id === job.id) ? [`${name} was erased and is still listed.`] : [];
  }
  if (job.deletion === 'asked') return [];
  if (!row || row.state === 'discarded')
    return [`${name} was answered 200, but is ${row?.state ?? 'not there'}.`];
  if (row.account_id !== job.submission.account.id) return [`${name} belongs to another account.`];
  const shown = listed.find(({ id }) => id === job.id);
  if (!shown) return [`${name} was answered 200, but is not in the list of its account.`];
  if (shown.status !== row.state && (row.state === 'completed' || row.state === 'failed'))
    return [`${name} is ${row.state}, but is listed as ${shown.status}.`];
  if (job.end && job.end.status !== row.state)
    return [`${name} was seen as ${job.end.status}, but is ${row.state} in the database.`];
  return [];
}

/** Its end is told at least once. Of a job that was deleted meanwhile it may be. */
function untold({ id, submission, end, deletion }: SeenJob, { told }: Facts): string[] {
  if (submission.webhookUrl === undefined || deletion !== 'no' || !end) return [];
  const types = told.filter(({ jobId }) => jobId === id).map(({ type }) => type);
  if (types.length === 0)
    return [`Job ${id} (${submission.filename}) is ${end.status}, and nobody was told.`];
  const others = types.filter((type) => type !== `job.${end.status}`);
  return others.length > 0 ? [`Job ${id} is ${end.status}, but ${others[0]} was told.`] : [];
}

/** However often it is told. */
function manyIds({ told }: Facts): string[] {
  const idsOf = Map.groupBy(told, ({ jobId, type }) => `${type} of job ${jobId}`);
  return [...idsOf].flatMap(([what, all]) => {
    const ids = new Set(all.map(({ webhookId }) => webhookId));
    return ids.size > 1 ? [`The end ${what} was told under ${ids.size} ids: ${[...ids].join(', ')}.`] : [];
  });
}

function twice({ filename, jobIds }: Submission): string[] {
  return jobIds.size > 1
    ? [`One submission of ${filename} has ${jobIds.size} jobs: ${[...jobIds].join(', ')}.`]
    : [];
}

/** Where a client was told that it did not work, and never that it did, nothing is to be there. */
function leftBehind({ clients, listed }: Facts): string[] {
  const refused = new Map(
    clients.submissions
      .filter(({ answers, jobIds }) => jobIds.size === 0 && answers.length > 0 && answers.every(isRefusal))
      .map((submission) => [submission.filename, submission]),
  );
  return listed.flatMap(({ id, filename, status }) => {
    const submission = refused.get(filename);
    if (!submission) return [];
    const answer = submission.answers.at(-1);
    const said = answer?.kind === 'answered' ? answer.status : 'nothing';
    return [`${filename} was answered ${said}, but there is a job of it: ${id}, ${status}.`];
  });
}

function isRefusal(answer: Submission['answers'][number]): boolean {
  return answer.kind === 'answered' && answer.status !== 200;
}
