import type { Facts, HoldRow, JobRow } from './facts';

const PRICE_PER_MINUTE_MICRO_AUD = 20_000;

/** I3: a completed job is charged exactly once, for its length at its price; a job that is not completed is not charged. */
export function chargedOnceOrNot(facts: Facts): string[] {
  const holds = new Map(facts.holds.map((hold) => [hold.job_id, hold]));
  const jobs = new Map(facts.jobs.map((job) => [job.id, job]));
  const captures = new Map(
    facts.bookings.filter(({ kind }) => kind === 'capture').map(({ job_id, times }) => [job_id, times]),
  );
  return [
    ...facts.jobs.flatMap((job) => chargeOf(job, holds.get(job.id), captures.get(job.id) ?? 0)),
    // Whatever was charged belongs to a job that is completed.
    ...facts.holds
      .filter(({ job_id, state }) => state === 'captured' && !jobs.has(job_id))
      .map(({ job_id }) => `${job_id} was charged, but there is no such job.`),
    ...lengths(facts, jobs),
    ...usedCredit(facts),
  ];
}

function chargeOf(job: JobRow, hold: HoldRow | undefined, captures: number): string[] {
  const name = `Job ${job.id} (${job.original_filename})`;
  if (captures > 1) return [`${name} was charged ${captures} times.`];
  if (job.mode === 'test')
    return hold && hold.state !== 'released' ? [`${name} is a test and has a hold.`] : [];
  if (job.state === 'completed') {
    if (hold?.state !== 'captured' || captures !== 1) return [`${name} is completed and was not charged.`];
    if (hold.charged_micro_aud !== job.cost_micro_aud)
      return [`${name} says that it cost ${job.cost_micro_aud}, and was charged ${hold.charged_micro_aud}.`];
    return priceOf(name, hold);
  }
  const isDecided = ['failed', 'discarded'].includes(job.state) || job.outcome === 'failed';
  return isDecided && hold?.state === 'captured' ? [`${name} is ${job.state} and was charged.`] : [];
}

function priceOf(name: string, hold: HoldRow): string[] {
  const owed = Math.floor((Number(hold.captured_paid_seconds) * PRICE_PER_MINUTE_MICRO_AUD) / 60 + 0.5);
  return Number(hold.charged_micro_aud) === owed
    ? []
    : [`${name} was charged ${hold.charged_micro_aud} micro-AUD instead of ${owed}.`];
}

/** As many seconds as the recording has that the client sent. */
function lengths({ clients, holds }: Facts, jobs: ReadonlyMap<string, JobRow>): string[] {
  const charged = new Map(
    holds
      .filter(({ state }) => state === 'captured')
      .map((hold) => [hold.job_id, Number(hold.captured_free_seconds) + Number(hold.captured_paid_seconds)]),
  );
  return [...clients.jobs.values()].flatMap(({ id, submission }) => {
    const seconds = charged.get(id);
    if (seconds === undefined || submission.seconds === null || jobs.get(id)?.state !== 'completed')
      return [];
    return seconds === submission.seconds
      ? []
      : [`Job ${id} was charged for ${seconds} s; its recording has ${submission.seconds} s.`];
  });
}

/** From the outside: what an account says that it has used is what its completed jobs cost, rounded up to a cent. */
function usedCredit({ credit, jobs }: Facts): string[] {
  return credit.flatMap(({ account, usedAud }) => {
    const cost = jobs
      .filter(
        ({ account_id, state, mode }) => account_id === account && state === 'completed' && mode === 'live',
      )
      .reduce((sum, { cost_micro_aud }) => sum + Number(cost_micro_aud), 0);
    const cents = Math.ceil(cost / 10_000);
    return Math.round(Number(usedAud) * 100) === cents
      ? []
      : [
          `Account ${account} is told that it has used AUD ${usedAud}; its completed jobs cost ${cost} micro-AUD.`,
        ];
  });
}
