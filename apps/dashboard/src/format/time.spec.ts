import { calendarDay, calendarMonth, clock, dateTime, inWords } from './time';

describe('the length of a recording', () => {
  it.each([
    [0, '0:00', '0 s'],
    [12, '0:12', '12 s'],
    [62, '1:02', '1 min 2 s'],
    [600, '10:00', '10 min'],
    [3599.9, '59:59', '1 h'],
    [3600, '1:00:00', '1 h'],
    [5025, '1:23:45', '1 h 23 min'],
    [36_000, '10:00:00', '10 h'],
  ])('%s s is %s, in words %s', (seconds, short, words) => {
    expect(clock(seconds)).toBe(short);
    expect(inWords(seconds)).toBe(words);
  });
});

it('a calendar day is the same day wherever the reader is', () => {
  expect(calendarDay('2026-11-01')).toMatch(/^Sun,? 1 Nov$/);
  expect(calendarMonth('2026-11')).toBe('November 2026');
});

it('the year is named only where it is another one', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  expect(dateTime('2026-06-15T01:02:03Z', now)).not.toContain('2026');
  expect(dateTime('2025-06-15T01:02:03Z', now)).toContain('2025');
});
