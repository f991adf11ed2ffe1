import { formatTurns, parseTurns, wrap } from './transcript-text';

it('a line of the diarization is a turn; a line without a speaker continues it', () => {
  expect(parseTurns('[Speaker 1]: good morning\n[Speaker 2]: good: morning\nto you')).toEqual([
    { speaker: 'Speaker 1', text: 'good morning' },
    { speaker: 'Speaker 2', text: 'good: morning to you' },
  ]);
  expect(parseTurns('')).toEqual([]);
});

it('turns are wrapped and indented to stand clear of the names', () => {
  const turns = [
    { speaker: 'Speaker 1', text: 'did you hear the birds in the garden' },
    { speaker: 'Speaker 10', text: 'i did' },
  ];
  expect(formatTurns(turns, 40)).toBe(
    ['  Speaker 1   did you hear the birds in', '              the garden', '  Speaker 10  i did'].join('\n'),
  );
});

it('no line is longer than the width unless a single word is', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('incomprehensibilities are', 5)).toEqual(['incomprehensibilities', 'are']);
  expect(wrap('', 5)).toEqual(['']);
});
