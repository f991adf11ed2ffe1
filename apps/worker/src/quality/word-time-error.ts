import { alignedWords, normalisedWords } from './word-error-rate';

/** A word with the time it begins and ends at, in seconds from the beginning of the recording. */
export interface TimedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How far off the times of words are that were recognised right; seconds, never negative. */
export interface WordTimeErrors {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Compares times of the words that are the same on both sides. Words that were misheard have no right time, and what is
 * written as one and said as several has only the outer two: they are left out.
 */
export function wordTimeErrors(
  reference: readonly TimedWord[],
  hypothesis: readonly TimedWord[],
): WordTimeErrors {
  const said = reference.flatMap(parts);
  const heard = hypothesis.flatMap(parts);
  const pairs = alignedWords(
    said.map(({ text }) => text),
    heard.map(({ text }) => text),
  ).flatMap((pair) => {
    if (pair.said === undefined || pair.heard === undefined) return [];
    const [one, other] = [said[pair.said]!, heard[pair.heard]!];
    return one.text === other.text && one.whole && other.whole ? [{ one, other }] : [];
  });
  return {
    starts: pairs.map(({ one, other }) => Math.abs(one.start - other.start)),
    ends: pairs.map(({ one, other }) => Math.abs(one.end - other.end)),
  };
}

/** Reads `file channel start duration word` lines (CTM); comments are skipped. */
export function parseCtm(text: string): TimedWord[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 5 && !fields[0]!.startsWith(';;'))
    .map((fields) => {
      const start = Number(fields[2]);
      return { text: fields[4]!, start, end: start + Number(fields[3]) };
    });
}

function parts({ text, start, end }: TimedWord): (TimedWord & { whole: boolean })[] {
  const words = normalisedWords(text);
  return words.map((word) => ({ text: word, start, end, whole: words.length === 1 }));
}
