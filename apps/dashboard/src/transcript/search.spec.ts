import { readerDocument } from './document';
import { nearestMatch, search, searchIndex } from './search';

/** A transcript of turns, `A: some words`, a second a word. */
function talk(...turns: string[]) {
  let at = 0;
  return readerDocument(
    turns.map((turn, index) => {
      const texts = turn.split(' ');
      const words = texts.map((text) => ({ text, start: at, end: ++at, confidence: 1 }));
      const speaker = `Speaker ${(index % 2) + 1}`;
      return { speaker, start: words[0]!.start, end: at, text: turn, confidence: 1, words };
    }),
  );
}
const find = (query: string, ...turns: string[]) =>
  search(searchIndex(talk(...turns)), query).map((match) => [match.first, match.last]);

describe('search', () => {
  it('finds every place, also within words, and says which words it touches', () => {
    expect(find('port', 'The port of Portland', 'is an airport.')).toEqual([
      [1, 1],
      [3, 3],
      [6, 6],
    ]);
  });

  it('finds words in a row whatever stands between them', () => {
    expect(find('well yes', 'Well, yes. Well — yes!')).toEqual([
      [0, 1],
      [2, 4],
    ]);
  });

  it('does not mind case, accents or the kind of apostrophe', () => {
    expect(find("CAFE DON'T", 'The café don’t open')).toEqual([[1, 2]]);
  });

  it('finds nothing across two speakers', () => {
    expect(find('end begin', 'the end', 'begin here')).toEqual([]);
  });

  it('finds nothing for spaces and punctuation alone', () => {
    expect(find(' , ', 'the end , really')).toEqual([]);
  });

  it('finds what is written without spaces, as it is written and as its words were heard', () => {
    for (const query of ['世界你好', '世界 你好', '界你'])
      expect(find(query, '你好 ， 世界 你好 。')).toEqual([[2, 3]]);
    expect(find('用 GPU 的', '用 GPU 的')).toEqual([[0, 2]]);
  });

  it('does not count overlapping places twice', () => {
    expect(find('aa', 'aaaa')).toHaveLength(2);
  });

  it('keeps its place after words that are punctuation alone', () => {
    expect(find('last', '— first -- second … last')).toEqual([[5, 5]]);
  });

  it('finds every place in ten hours of speech', () => {
    const index = searchIndex(
      talk(...Array.from({ length: 6_000 }, () => 'a b c d e f g h i j k l m needle o')),
    );
    expect(search(index, 'needle')).toHaveLength(6_000);
  });
});

describe('nearestMatch', () => {
  const matches = [
    { first: 3, last: 4 },
    { first: 9, last: 9 },
  ];

  it('is the first match from where the reader is', () => {
    expect(nearestMatch(matches, 4)).toBe(0);
    expect(nearestMatch(matches, 5)).toBe(1);
  });

  it('begins again at the top when there is none further down', () => {
    expect(nearestMatch(matches, 10)).toBe(0);
  });

  it('is none without matches', () => {
    expect(nearestMatch([], 0)).toBe(-1);
  });
});
