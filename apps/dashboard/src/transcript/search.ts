import { gapBetween, joinedText } from '@currawong/contracts/spacing';
import type { ReaderDocument } from './document';

/** The words, first to last, that a match touches. */
export interface Match {
  first: number;
  last: number;
}

/** The text of a transcript, prepared once for many searches. */
export interface SearchIndex {
  text: string;
  /** Where each word begins in `text`. */
  offsets: Uint32Array;
}

/** A line per turn, so that nothing is found across two speakers. */
export function searchIndex({ words, turns }: ReaderDocument): SearchIndex {
  const offsets = new Uint32Array(words.length);
  const lines: string[] = [];
  let length = 0;
  let word = 0;
  for (const turn of turns) {
    let line = '';
    let before = '';
    for (const { text } of turn.blocks.flatMap((block) => block.words)) {
      const plain = fold(text);
      // A dash on its own leaves nothing: the words around it count as neighbours.
      const gap = plain === '' || before === '' ? '' : gapBetween(before, plain);
      offsets[word++] = length + line.length + gap.length;
      line += gap + plain;
      if (plain !== '') before = plain;
    }
    if (line === '') continue;
    lines.push(line);
    length += line.length + 1;
  }
  return { text: lines.join('\n'), offsets };
}

/** Every place where `query` is said, in order, without overlaps. Case, accents and punctuation do not matter. */
export function search({ text, offsets }: SearchIndex, query: string): Match[] {
  const wanted = fold(query);
  if (wanted === '') return [];
  const matches: Match[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    matches.push({ first: wordOfOffset(offsets, at), last: wordOfOffset(offsets, at + wanted.length - 1) });
  }
  return matches;
}

/** The match to begin with: the first one from word number `word` on, else the first of all. -1 without matches. */
export function nearestMatch(matches: Match[], word: number): number {
  if (matches.length === 0) return -1;
  return Math.max(
    0,
    matches.findIndex((match) => match.last >= word),
  );
}

/** Lower case, without accents, with straight apostrophes, and without punctuation around words. */
function fold(text: string): string {
  const words = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u2018\u2019]/g, "'")
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '');
  return joinedText(words);
}

function wordOfOffset(offsets: Uint32Array, offset: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
