import { parseCtm, wordTimeErrors } from './word-time-error';

const said = [
  { text: 'Good', start: 0.2, end: 0.5 },
  { text: 'morning,', start: 0.5, end: 1 },
  { text: 'Steve.', start: 1.2, end: 1.8 },
];

describe('word time error', () => {
  it('is how far off words are that were heard right, whichever way', () => {
    const { starts, ends } = wordTimeErrors(said, [
      { text: 'good', start: 0.1, end: 0.5 },
      { text: 'morning', start: 0.55, end: 0.9 },
      { text: 'steve', start: 1.2, end: 1.9 },
    ]);
    expect(starts.map((seconds) => seconds.toFixed(2))).toEqual(['0.10', '0.05', '0.00']);
    expect(ends.map((seconds) => seconds.toFixed(2))).toEqual(['0.00', '0.10', '0.10']);
  });

  it('leaves out words that were misheard, missed or made up', () => {
    const { starts } = wordTimeErrors(said, [
      { text: 'well', start: 0, end: 0.1 },
      { text: 'good', start: 0.2, end: 0.5 },
      { text: 'mourning', start: 3, end: 4 },
    ]);
    expect(starts).toEqual([0]);
  });

  it('leaves out what is written as one word and said as two', () => {
    const { starts } = wordTimeErrors(
      [
        { text: 'real', start: 0, end: 1 },
        { text: 'time', start: 1, end: 2 },
        { text: 'now', start: 2, end: 3 },
      ],
      [
        { text: 'real-time', start: 0, end: 2 },
        { text: 'now', start: 2.5, end: 3 },
      ],
    );
    expect(starts).toEqual([0.5]);
  });

  it('reads CTM lines', () => {
    expect(parseCtm(';; times of words\nx 1 0.25 0.5 Good 0.99\n\n')).toEqual([
      { text: 'Good', start: 0.25, end: 0.75 },
    ]);
  });
});
