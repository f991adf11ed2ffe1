/**
 * Pauses before each further attempt, seconds: those that standardwebhooks.com recommends, 28 hours and more in all also
 * where every one of them is shortened by its jitter.
 */
export const RETRY_SECONDS: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400];

/** Receivers that were away together must not be called together again. */
const JITTER = 0.1;

/** A receiver may ask for more patience than the schedule has, but not for as much as it likes. */
const LONGEST_ASKED_PAUSE_SECONDS = 43_200;

/**
 * The pause before the next attempt, in seconds.
 * @param scheduled attempts of the schedule that were made, 1 or more
 * @param askedSeconds what the receiver asked for in Retry-After; null where it did not. The pause is never shorter than
 *   the schedule's: all attempts would be used up within a moment
 * @param random from 0 to 1
 * @returns null where there is none
 */
export function pauseSeconds(
  retrySeconds: readonly number[],
  scheduled: number,
  askedSeconds: number | null,
  random: number,
): number | null {
  const planned = retrySeconds[scheduled - 1];
  if (planned === undefined) return null;
  const jittered = planned * (1 - JITTER + 2 * JITTER * random);
  return Math.max(jittered, Math.min(askedSeconds ?? 0, LONGEST_ASKED_PAUSE_SECONDS));
}

/**
 * Seconds that a Retry-After header asks for: a number of them, or a date.
 * @returns null for anything else
 */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  // Everything that Date.parse takes beyond a date of HTTP is somebody's guess.
  if (!/^[A-Z][a-z]{2,8},? .* GMT$/.test(header)) return null;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
