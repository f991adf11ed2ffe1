import { filled } from './windows';

const segment = (start: number, end: number) => ({ start, end });

describe('windows of an engine', () => {
  it('take neighbouring segments as long as they fit', () => {
    expect(filled([segment(0, 10), segment(11, 19), segment(20, 30), segment(30.5, 40)], 30)).toEqual([
      segment(0, 30),
      segment(30.5, 40),
    ]);
  });

  it('do not reach over long silences', () => {
    expect(filled([segment(0, 3), segment(5.1, 6)], 30)).toEqual([segment(0, 3), segment(5.1, 6)]);
  });

  it('leave segments alone that fill more than one', () => {
    expect(filled([segment(0, 31), segment(31.5, 33)], 30)).toEqual([segment(0, 31), segment(31.5, 33)]);
  });

  it('are none where there is no speech', () => {
    expect(filled([], 30)).toEqual([]);
  });
});
