import type { Facts } from './facts';

/**
 * I1: the ledger sums to zero; a hold is what was captured and what was released; no hold is open whose job has ended or
 * was never accepted.
 */
export function ledgerAddsUp(facts: Facts): string[] {
  return [
    ...facts.ledgerProblems,
    ...facts.sums
      .filter(({ amount }) => amount !== '0')
      .map(({ unit, amount }) => `All books together sum to ${amount} ${unit} instead of 0.`),
    ...openHolds(facts),
  ];
}

function openHolds({ jobs, holds }: Facts): string[] {
  const stateOf = new Map(jobs.map(({ id, state }) => [id, state]));
  return holds
    .filter(({ state }) => state === 'pending')
    .flatMap(({ job_id: id }) => {
      const state = stateOf.get(id);
      if (state === 'pending' || state === 'processing' || state === 'settling') return [];
      return [`The hold of job ${id} is open, but the job is ${state ?? 'unknown'}.`];
    });
}
