import type { TranscriptWord } from '@currawong/contracts';

/** What was heard in a stretch of a recording. Neighbouring stretches may overlap. */
export interface HeardStretch {
  /** Seconds from the beginning of the recording, like the times of the words. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** In order of time. */
  readonly words: readonly TranscriptWord[];
}

/**
 * The words of stretches that follow one another, those in an overlap once. Both sides have heard an overlap; near its
 * ends one of them knows only half a word, so the switch from one to the other is at a word in its middle that both
 * heard. Where they heard nothing in common it is where neither is in a word.
 */
export function stitched(stretches: readonly HeardStretch[]): TranscriptWord[] {
  const words: TranscriptWord[] = [];
  let reached = -Infinity;
  for (const { startSeconds, endSeconds, words: next } of stretches) {
    if (startSeconds < reached) join(words, next, { from: startSeconds, to: reached });
    else words.push(...next);
    reached = Math.max(reached, endSeconds);
  }
  return words;
}

interface Overlap {
  readonly from: number;
  readonly to: number;
}

/** Appends `right` to `left` in place. */
function join(left: TranscriptWord[], right: readonly TranscriptWord[], overlap: Overlap): void {
  let leftFrom = left.length;
  while (leftFrom > 0 && left[leftFrom - 1]!.end > overlap.from) leftFrom--;
  const after = right.findIndex(({ start }) => start >= overlap.to);
  const rightTo = after < 0 ? right.length : after;
  const merged = mergedInOverlap(left.slice(leftFrom), right.slice(0, rightTo), overlap);
  left.length = leftFrom;
  for (const word of merged) append(left, word);
  for (const word of right.slice(rightTo)) append(left, word);
}

/** The two sides' times disagree a little: a word must not begin before the one that it follows has ended. */
function append(words: TranscriptWord[], next: TranscriptWord): void {
  const last = words.at(-1);
  if (!last || next.start >= last.end) {
    words.push(next);
    return;
  }
  const border = Math.max(last.start, (last.end + next.start) / 2);
  words[words.length - 1] = { ...last, end: border };
  words.push({ ...next, start: border, end: Math.max(border, next.end) });
}

function mergedInOverlap(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
  { from, to }: Overlap,
): TranscriptWord[] {
  const border = (from + to) / 2;
  const common = alignment(left, right);
  if (common.length === 0) return mergedByTime(left, right, border);
  const away = ([l, r]: Pair) => Math.abs((middle(left[l]!) + middle(right[r]!)) / 2 - border);
  const [l, r] = common.reduce((best, pair) => (away(pair) < away(best) ? pair : best));
  return [...left.slice(0, l + 1), ...right.slice(r + 1)];
}

/** Words whose middles are further apart than this are not the same one; engines' times are off by tenths of a second. */
const TOLERANCE_SECONDS = 0.8;

/** Indexes of a word that both sides heard. */
type Pair = readonly [number, number];

/**
 * The longest common subsequence; of those, the one whose times agree best, since a word may be said several times in
 * a row.
 */
function alignment(left: readonly TranscriptWord[], right: readonly TranscriptWord[]): Pair[] {
  const width = right.length + 1;
  // Best score of what lies behind each pair of places.
  const scores = new Float64Array((left.length + 1) * width);
  const worth = (l: number, r: number) => {
    const apartSeconds = Math.abs(middle(left[l]!) - middle(right[r]!));
    const isSame = apartSeconds <= TOLERANCE_SECONDS && spoken(left[l]!) === spoken(right[r]!);
    return isSame ? 1 - 0.5 * (apartSeconds / TOLERANCE_SECONDS) : 0;
  };
  for (let l = left.length - 1; l >= 0; l--) {
    for (let r = right.length - 1; r >= 0; r--) {
      const both = worth(l, r);
      scores[l * width + r] = Math.max(
        scores[(l + 1) * width + r]!,
        scores[l * width + r + 1]!,
        both > 0 ? both + scores[(l + 1) * width + r + 1]! : 0,
      );
    }
  }
  const pairs: Pair[] = [];
  for (let l = 0, r = 0; l < left.length && r < right.length;) {
    const here = scores[l * width + r]!;
    if (here === scores[(l + 1) * width + r]) l++;
    else if (here === scores[l * width + r + 1]) r++;
    else pairs.push([l++, r++]);
  }
  return pairs;
}

/** Punctuation and capitals depend on what an engine has heard before. */
function spoken({ text }: TranscriptWord): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') || text;
}

/** What one side alone heard must be this far from what the other heard not to be the same word. */
const APART_SECONDS = 0.2;

/**
 * Switches at the place nearest to the border where neither side is in a word; where they are never silent together, the
 * left side's last word before the border stays whole. What only one side heard is kept wherever the other was silent.
 */
function mergedByTime(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
  border: number,
): TranscriptWord[] {
  const all = [...left, ...right];
  const isBetweenWords = (time: number) => all.every(({ start, end }) => time <= start || time >= end);
  const [quiet = border] = [border, ...all.flatMap(({ start, end }) => [start, end])]
    .filter(isBetweenWords)
    .sort((a, b) => Math.abs(a - border) - Math.abs(b - border));
  const before = left.filter((word) => middle(word) <= quiet);
  const heardUntil = Math.max(quiet, before.at(-1)?.end ?? quiet);
  const chosen = [...before, ...right.filter((word) => middle(word) > heardUntil)];
  const isApart = (word: TranscriptWord) =>
    chosen.every(({ start, end }) => word.start >= end + APART_SECONDS || word.end <= start - APART_SECONDS);
  const alone = all.filter((word) => !chosen.includes(word) && isApart(word));
  return [...chosen, ...alone].sort((a, b) => a.start - b.start);
}

function middle({ start, end }: TranscriptWord): number {
  return (start + end) / 2;
}
