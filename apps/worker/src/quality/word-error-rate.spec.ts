import { alignedWords, normalisedWords, togetherWordErrors, wordErrors } from './word-error-rate';

describe('word error rate', () => {
  it('is zero for the same words in other case and punctuation', () => {
    expect(wordErrors('Good morning, Steve.', 'good morning steve').rate).toBe(0);
  });

  it('counts each kind of error once', () => {
    const errors = wordErrors('the quick brown fox jumps', 'the quick red fox jumps high');
    expect(errors).toMatchObject({
      substitutions: 1,
      insertions: 1,
      deletions: 0,
      referenceWords: 5,
      rate: 2 / 5,
    });
    expect(wordErrors('one two three', 'one three')).toMatchObject({
      deletions: 1,
      substitutions: 0,
      insertions: 0,
    });
  });

  it('takes the fewest edits, not the first that fit', () => {
    expect(wordErrors('a b c d', 'b c d a').rate).toBe(2 / 4);
  });

  it('is one when nothing was recognised and infinite when something was heard in silence', () => {
    expect(wordErrors('a b', '').rate).toBe(1);
    expect(wordErrors('', 'a').rate).toBe(Infinity);
    expect(wordErrors('', '').rate).toBe(0);
  });

  it('pairs each word said with the word heard for it', () => {
    expect(alignedWords(['a', 'b', 'c'], ['x', 'a', 'c', 'd'])).toEqual([
      { heard: 0 },
      { said: 0, heard: 1 },
      { said: 1 },
      { said: 2, heard: 2 },
      { heard: 3 },
    ]);
  });

  it('weighs every word of several recordings the same', () => {
    const together = togetherWordErrors([wordErrors('a b c d', 'a b c d'), wordErrors('a b', 'x')]);
    expect(together).toMatchObject({ referenceWords: 6, rate: 2 / 6 });
  });

  it('reads titles and digits as they are said, and keeps apostrophes inside words', () => {
    expect(normalisedWords("Mr. Dashwood\u2019s 3 'dogs'")).toEqual([
      'mister',
      "dashwood's",
      'three',
      'dogs',
    ]);
  });
});
