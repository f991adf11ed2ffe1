import type { Stage } from '@currawong/contracts';

export interface ItemProgress {
  stage: Stage;
  chunk_index: number;
  state: 'queued' | 'running' | 'done' | 'dropped';
  /** 0 to 1, as the worker last said. */
  fraction: number;
}

// Recognition is nearly all of the time; cutting and assembling share the rest.
const PREPARE_SHARE = 0.05;
const RECOGNIZE_SHARE = 0.9;

/** Share of a job's work that is done, 0 to 1. Grows as chunks are found, never past the truth of what is left. */
export function jobProgress(items: ItemProgress[], chunks: number | null): number {
  const doneOf = (item: ItemProgress) => (item.state === 'done' ? 1 : item.fraction);
  const recognizing = items.filter(
    // Beyond the last one there may be some of an earlier attempt at the cutting.
    (item) => item.stage === 'recognize' && item.chunk_index < (chunks ?? Infinity),
  );
  const whole = items.find((item) => item.stage === 'whole');
  if (whole && recognizing.length === 0 && chunks === null) return doneOf(whole);

  const prepare = items.find((item) => item.stage === 'prepare' || item.stage === 'whole');
  const prepared = prepare ? doneOf(prepare) : 0;
  // Until all chunks are cut their number is guessed from how far the cutting is.
  const expected = chunks ?? Math.max(recognizing.length, recognizing.length / Math.max(prepared, 0.05));
  const recognized =
    expected > 0 ? recognizing.reduce((sum, item) => sum + doneOf(item), 0) / expected : prepared;
  const assembled = items
    .filter((item) => item.stage === 'assemble')
    .reduce((sum, item) => sum + doneOf(item), 0);
  return (
    PREPARE_SHARE * prepared +
    RECOGNIZE_SHARE * recognized +
    (1 - PREPARE_SHARE - RECOGNIZE_SHARE) * assembled
  );
}
