import type { Facts, JobRow } from './facts';

const UNFINISHED = ['pending', 'processing', 'settling'];
const ACCEPTED = [...UNFINISHED, 'completed', 'failed'];
/** Clocks of the store and of the database are the same machine's; the store keeps whole seconds. */
const ROUNDING_MS = 1_500;

/**
 * I4: no object and no multipart upload without a live row after a minute, and no row without its object. What workers
 * leave that were told too late goes ten minutes later, or with the row after a day.
 */
export function objectsMatchRows(facts: Facts): string[] {
  const jobs = new Map(facts.jobs.map((job) => [job.id, job]));
  const erasedAt = new Map(facts.deletions.map((deletion) => [deletion.job_id, deletion.erased_at]));
  const keys = new Set(facts.objects.map(({ key }) => key));
  const refused = refusedFiles(facts);
  return [
    ...facts.objects.flatMap(({ key, writtenAt, wentMeanwhile }) => {
      if (wentMeanwhile) return [];
      const job = jobs.get(jobOf(key) ?? '');
      const reason = erased(erasedAt.get(job?.id ?? ''), writtenAt) ?? needless(job, key, writtenAt, refused);
      return reason === undefined ? [] : [`Object ${key} is still there: ${reason}.`];
    }),
    ...facts.uploads.flatMap(({ key, begunAt }) => {
      const job = jobs.get(jobOf(key) ?? '');
      const isAlive = job?.state === 'uploading' || UNFINISHED.includes(job?.state ?? '');
      if (isAlive || begunAt.getTime() > (job?.cleared_at?.getTime() ?? 0) + 60_000) return [];
      return [`The upload to ${key} was never ended: its job is ${job?.state ?? 'unknown'}.`];
    }),
    ...facts.jobs.filter(({ id }) => !erasedAt.has(id)).flatMap((job) => missing(job, keys)),
  ];
}

/** The id of the job that an object belongs to. */
function jobOf(key: string): string | undefined {
  return /^(?:audio\/[0-9a-f-]{36}|work|results)\/([0-9a-f-]{36})\//.exec(key)?.[1];
}

/** What was stored by somebody who was told too late is looked for again, and goes then. */
function erased(at: Date | null | undefined, writtenAt: Date): string | undefined {
  if (at === undefined || (at !== null && writtenAt.getTime() > at.getTime() - ROUNDING_MS)) return undefined;
  return 'its job was deleted';
}

/** Recordings that were stored and then refused: nobody is late with them, however little time passed between the two. */
function refusedFiles({ clients }: Facts): ReadonlySet<string> {
  const refused = clients.submissions.filter(
    ({ answers }) =>
      answers.length > 0 && answers.every((answer) => answer.kind === 'answered' && answer.status === 400),
  );
  return new Set(refused.map(({ filename }) => filename));
}

function needless(
  job: JobRow | undefined,
  key: string,
  writtenAt: Date,
  refused: ReadonlySet<string>,
): string | undefined {
  if (!job) return 'there is no such job';
  const clearedAt = job.cleared_at;
  if (job.state === 'discarded') {
    if (clearedAt === null) return 'its job was discarded and is not undone';
    const roundingMs = key === job.source_key && refused.has(job.original_filename) ? 0 : ROUNDING_MS;
    // Written by somebody who was told too late: it goes with a later look, at the latest with the row.
    return writtenAt.getTime() > clearedAt.getTime() - roundingMs ? undefined : 'its job was discarded';
  }
  if (key.startsWith('audio/') && job.audio_erased_at !== null) return 'the recording was erased';
  if (clearedAt === null || writtenAt.getTime() > clearedAt.getTime() - ROUNDING_MS) return undefined;
  if (key.startsWith('work/')) return 'its job has ended and was cleared';
  if (key.startsWith('results/') && key !== job.result_key && key !== job.voices_key)
    return 'another result counts, and its job was cleared';
  return undefined;
}

function missing(job: JobRow, keys: ReadonlySet<string>): string[] {
  if (!ACCEPTED.includes(job.state)) return [];
  const wanted = [
    ...(job.audio_erased_at === null ? [job.source_key] : []),
    ...(job.state === 'completed' && job.result_key !== null ? [job.result_key] : []),
  ];
  return wanted
    .filter((key) => !keys.has(key))
    .map(
      (key) =>
        `Job ${job.id} (${job.original_filename}) is ${job.state}, but its object ${key} is not there.`,
    );
}
