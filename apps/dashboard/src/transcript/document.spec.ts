import type { ShownSegment } from '@currawong/contracts';
import { blockOfWord, readerDocument, wordAt } from './document';

const segment = (speaker: string, start: number, ...texts: string[]): ShownSegment => ({
  speaker,
  start,
  end: start + texts.length,
  text: texts.join(' '),
  confidence: 0.9,
  words: texts.map((text, index) => ({
    text,
    start: start + index,
    end: start + index + 0.5,
    confidence: 0.9,
  })),
});

const talk = readerDocument([
  segment('Speaker 1', 1, 'Good', 'morning.'),
  segment('Speaker 1', 4, 'Sit', 'down.'),
  segment('Speaker 2', 6, 'Thanks.'),
  segment('Speaker 1', 10, 'So.'),
]);

describe('readerDocument', () => {
  it('makes one turn of neighbouring segments of one speaker, and another when the speaker comes back', () => {
    expect(
      talk.turns.map((turn) => [turn.speaker, turn.start, turn.end, turn.blocks.map((block) => block.index)]),
    ).toEqual([
      ['Speaker 1', 1, 6, [0, 1]],
      ['Speaker 2', 6, 7, [2]],
      ['Speaker 1', 10, 11, [3]],
    ]);
  });

  it('names the speakers in order of first word', () => {
    expect(talk.speakers).toEqual(['Speaker 1', 'Speaker 2']);
  });

  it('numbers words through the whole transcript', () => {
    expect(talk.blocks.map((block) => block.firstWord)).toEqual([0, 2, 4, 5]);
    expect(talk.words.map((word) => word.text)).toEqual([
      'Good',
      'morning.',
      'Sit',
      'down.',
      'Thanks.',
      'So.',
    ]);
  });

  it('takes a segment without words as one stretch', () => {
    const { words } = readerDocument([
      { speaker: 'Speaker 1', start: 3, end: 9, text: 'No word times here', confidence: null },
    ]);
    expect(words).toEqual([{ text: 'No word times here', start: 3, end: 9, confidence: null }]);
  });

  it('has nothing for a recording without speech', () => {
    expect(readerDocument([])).toEqual({ words: [], blocks: [], turns: [], speakers: [] });
  });
});

describe('blockOfWord', () => {
  it('finds the paragraph of every word', () => {
    expect(talk.words.map((_, word) => blockOfWord(talk.blocks, word)?.index)).toEqual([0, 0, 1, 1, 2, 3]);
  });

  it('finds nothing for no word', () => {
    expect(blockOfWord(talk.blocks, -1)).toBeUndefined();
  });
});

describe('wordAt', () => {
  it('is the word from its first moment until the next one begins', () => {
    expect(wordAt(talk.words, 1)).toBe(0);
    expect(wordAt(talk.words, 1.99)).toBe(0);
    expect(wordAt(talk.words, 2)).toBe(1);
  });

  it('is no word before the first one', () => {
    expect(wordAt(talk.words, 0.99)).toBe(-1);
  });

  it('stays through a short pause and ends in a long one', () => {
    expect(wordAt(talk.words, 8)).toBe(4);
    expect(wordAt(talk.words, 8.6)).toBe(-1);
  });

  it('agrees with looking through all words one by one, at any moment of a long transcript', () => {
    const long = Array.from({ length: 90_000 }, (_, index) => ({
      text: 'word',
      start: index * 0.4 + (index % 7) * 0.01,
      end: index * 0.4 + 0.3,
      confidence: 1,
    }));
    for (let seconds = 0; seconds < 36_000; seconds += 777.7) {
      expect(wordAt(long, seconds)).toBe(long.findLastIndex((word) => word.start <= seconds));
    }
  });
});
