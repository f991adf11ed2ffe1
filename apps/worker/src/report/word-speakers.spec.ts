import { speakersOf } from './word-speakers';

const word = (start: number, end: number) => ({ text: 'word', start, end, confidence: 1 });
const turn = (start: number, end: number, speaker: number) => ({ start, end, speaker });

describe('the speaker of a word', () => {
  it('is the one who speaks during most of it, in however many turns', () => {
    expect(speakersOf([word(0, 1), word(1, 2)], [turn(0, 1.2, 1), turn(1.2, 3, 2)])).toEqual([1, 2]);
    expect(speakersOf([word(0, 1)], [turn(0, 0.3, 1), turn(0.3, 0.65, 2), turn(0.65, 1, 1)])).toEqual([1]);
  });

  it('is the nearest where nobody speaks, and 1 where there are no turns at all', () => {
    expect(speakersOf([word(3, 3.5), word(6, 6.4)], [turn(0, 2, 1), turn(7, 9, 2)])).toEqual([1, 2]);
    expect(speakersOf([word(0, 1), word(5, 6)], [])).toEqual([1, 1]);
  });

  it('stays the same while another speaks as well', () => {
    const turns = [turn(0, 5, 1), turn(2, 7, 2)];
    const words = [word(1, 1.5), word(2.5, 3), word(3.5, 4), word(4.2, 4.7), word(5.5, 6)];
    expect(speakersOf(words, turns)).toEqual([1, 1, 1, 1, 2]);
  });

  it('is not changed by a blip, but by a short answer', () => {
    const words = [word(0, 1), word(1.02, 1.2), word(1.3, 2), word(2, 2.5), word(2.6, 3)];
    const blip = [turn(0, 1, 1), turn(1.02, 1.2, 2), turn(1.25, 2, 1), turn(2, 3, 2)];
    expect(speakersOf(words, blip)).toEqual([1, 1, 1, 2, 2]);
    const answer = [turn(0, 1, 1), turn(1, 1.3, 2), turn(1.3, 2, 1), turn(2, 3, 2)];
    expect(speakersOf(words, answer)).toEqual([1, 2, 1, 2, 2]);
    const only = [turn(0, 1, 1), turn(1.02, 1.2, 2), turn(1.25, 3, 1)];
    expect(speakersOf(words, only)).toEqual([1, 2, 1, 1, 1]);
  });
});
