import type { Facts, JobRow, WorkRow } from './facts';

const ENDS = ['completed', 'failed'];

/**
 * I2: every accepted job has reached exactly one terminal state (the facts are taken when the bound for it is over), by the
 * attempt that counts, and no message told of anything before it was committed.
 */
export function everyJobHasOneEnd(facts: Facts): string[] {
  return [...unfinished(facts), ...contradicted(facts), ...staleResults(facts), ...facts.messageProblems];
}

function unfinished({ jobs, workItems, waitingMessages, now }: Facts): string[] {
  const stuck = jobs
    .filter(({ state }) => !ENDS.includes(state) && state !== 'discarded')
    .map((job) => {
      const work = workItems
        .filter(({ job_id }) => job_id === job.id)
        .map(
          ({ stage, state, attempt, last_error: error }) =>
            `${stage} ${state}, attempt ${attempt}${error ? `: ${error}` : ''}`,
        );
      const seconds = (now.getTime() - job.changed_at.getTime()) / 1000;
      return `Job ${job.id} (${job.original_filename}) is still ${job.state} after ${seconds.toFixed(0)} s [${work.join('; ')}].`;
    });
  return [
    ...stuck,
    ...waitingMessages.map(({ schema, message_id }) => `Message ${message_id} of ${schema} was never sent.`),
  ];
}

function contradicted({ clients }: Facts): string[] {
  return [...clients.jobs.values()].flatMap(({ id, contradictions }) =>
    contradictions.map((contradiction) => `Job ${id}: ${contradiction}.`),
  );
}

/** Keys of results carry the attempt that wrote them: a late result of an older attempt must not have counted. */
function staleResults({ jobs, workItems }: Facts): string[] {
  const items = new Map(workItems.map((item) => [item.id, item]));
  return jobs.flatMap((job) => staleResult(job, items) ?? []);
}

function staleResult(
  { id, result_key: key }: JobRow,
  items: ReadonlyMap<string, WorkRow>,
): string | undefined {
  const [, itemId, attempt] = /([0-9a-f-]{36})-(\d+)\.json$/.exec(key ?? '') ?? [];
  const item = itemId === undefined ? undefined : items.get(itemId);
  if (!item || item.state !== 'done' || item.attempt === Number(attempt)) return undefined;
  return `Job ${id} ended with the result of attempt ${attempt}, but attempt ${item.attempt} was the one that counted.`;
}
