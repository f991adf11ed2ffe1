import { randomInt } from 'node:crypto';

const SHORTEST_SECONDS = 2;
const LONGEST_SECONDS = 10;

/** Whole seconds, different for each: a crowd that was sent away together must not come back together. */
export function retryAfterSeconds(): string {
  return String(randomInt(SHORTEST_SECONDS, LONGEST_SECONDS + 1));
}
