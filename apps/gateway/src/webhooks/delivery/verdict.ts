import type { OutboundAnswer, OutboundError } from '@currawong/outbound';
import { pauseSeconds, retryAfterSeconds } from '../schedule';

/** What an attempt brought. */
export type AttemptResult = { ok: true; answer: OutboundAnswer } | { ok: false; error: OutboundError };

export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'again'; afterSeconds: number }
  /** `endpointGone`: the receiver wants nothing more, ever. */
  | { kind: 'failed'; endpointGone: boolean };

/** What a delivery has behind it, the attempt that is judged included. */
export interface Progress {
  scheduled: number;
  isLast: boolean;
}

const GONE = 410;
/** Those that come with a Retry-After by their definition; elsewhere it is no request for patience. */
const ASKING_FOR_TIME = [429, 503];

/** What follows from an attempt. Pure. @param random from 0 to 1 */
export function judge(
  result: AttemptResult,
  { scheduled, isLast }: Progress,
  retrySeconds: readonly number[],
  now: Date,
  random: number,
): Verdict {
  const status = result.ok ? result.answer.status : null;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'failed', endpointGone: true };
  if (isLast) return { kind: 'failed', endpointGone: false };
  const asked =
    result.ok && ASKING_FOR_TIME.includes(result.answer.status)
      ? retryAfterSeconds(result.answer.headers['retry-after'], now)
      : null;
  const afterSeconds = pauseSeconds(retrySeconds, scheduled, asked, random);
  return afterSeconds === null ? { kind: 'failed', endpointGone: false } : { kind: 'again', afterSeconds };
}

const SHOWN_CHARACTERS = 1_000;

/** The beginning of an answer as it may be shown: text, without control characters that a terminal or a page would obey. */
export function shownAnswer(body: Buffer): string {
  return (
    body
      .toString('utf8')
      .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
      .trim()
      .slice(0, SHOWN_CHARACTERS)
      // A cut through a surrogate pair would leave half a character.
      .replace(/[\ud800-\udbff]$/, '')
  );
}
