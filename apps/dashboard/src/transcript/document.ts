import type { ShownSegment } from '@currawong/contracts';

/** A stretch that can be played and marked: a word, or a whole segment where the engine gave no words. */
export interface Word {
  text: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  confidence: number | null;
}

/** One paragraph on the page: a segment, with the number of its first word in the whole transcript. */
export interface Block {
  /** Place among all blocks. */
  index: number;
  firstWord: number;
  words: Word[];
  /** What its words tell and how it was said; undefined without an analysis, or where there is nothing to say. */
  manner?: string;
}

/** What one speaker says until another begins. */
export interface Turn {
  speaker: string;
  start: number;
  end: number;
  blocks: Block[];
}

/** A transcript as the reader needs it: words numbered through, so that a number finds time, block and element. */
export interface ReaderDocument {
  words: Word[];
  blocks: Block[];
  turns: Turn[];
  /** Labels such as `Speaker 1`, in order of first word. */
  speakers: string[];
}

export function readerDocument(segments: ShownSegment[]): ReaderDocument {
  const words: Word[] = [];
  const blocks: Block[] = [];
  const turns: Turn[] = [];
  const speakers: string[] = [];
  for (const segment of segments) {
    const manner = mannerOf(segment);
    const block: Block = {
      ...{ index: blocks.length, firstWord: words.length, words: wordsOf(segment) },
      ...(manner === '' ? {} : { manner }),
    };
    blocks.push(block);
    words.push(...block.words);
    if (!speakers.includes(segment.speaker)) speakers.push(segment.speaker);
    const turn = turns.at(-1);
    if (turn?.speaker === segment.speaker) {
      turn.blocks.push(block);
      turn.end = Math.max(turn.end, segment.end);
    } else {
      turns.push({ speaker: segment.speaker, start: segment.start, end: segment.end, blocks: [block] });
    }
  }
  return { words, blocks, turns, speakers };
}

function wordsOf({ text, start, end, confidence, words }: ShownSegment): Word[] {
  return words !== undefined && words.length > 0 ? words : [{ text, start, end, confidence }];
}

/** The block that holds word number `word`. */
export function blockOfWord(blocks: Block[], word: number): Block | undefined {
  return blocks[lastAtMost(blocks.length, (at) => blocks[at]!.firstWord, word)];
}

/**
 * The word that is heard at `seconds`: the last one that has begun, also through the pause after it, so that the mark
 * does not flicker between words. -1 before the first word, and once a pause has lasted longer than `pauseSeconds`.
 */
export function wordAt(words: Word[], seconds: number, pauseSeconds = 2): number {
  const at = lastAtMost(words.length, (index) => words[index]!.start, seconds);
  return at >= 0 && seconds - words[at]!.end > pauseSeconds ? -1 : at;
}

/** The greatest index whose value is at most `limit`, where values never fall; -1 if there is none. */
function lastAtMost(length: number, value: (index: number) => number, limit: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What is neither good nor bad, neither calm nor lively, need not be said. */
function mannerOf({ sentiment, tone }: ShownSegment): string {
  return [sentiment?.label, tone?.label].filter((label) => label && label !== 'neutral').join(', ');
}
