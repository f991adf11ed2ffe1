import type { Chunk } from '@currawong/contracts';

type Borders = Pick<Chunk, 'start_seconds' | 'end_seconds' | 'own_start_seconds' | 'own_end_seconds'>;

/** Sixteen samples: what times lose on their way as text is far less, and no cut differs by so little. */
const SAME_WITHIN_SECONDS = 0.001;

/** Whether two attempts at the cutting of a recording cut this piece of it at the same places. */
export function haveSameBorders(one: Borders, other: Borders): boolean {
  const [theirs, others] = [bordersOf(one), bordersOf(other)];
  return theirs.every((border, index) => Math.abs(border - others[index]!) <= SAME_WITHIN_SECONDS);
}

/** Without an overlap, all that a chunk holds is its own. */
function bordersOf(chunk: Borders): number[] {
  const { start_seconds: start, end_seconds: end } = chunk;
  return [start, end, chunk.own_start_seconds ?? start, chunk.own_end_seconds ?? end];
}
