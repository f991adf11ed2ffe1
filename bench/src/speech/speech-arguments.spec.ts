import { parseSpeechArguments } from './speech-arguments';

const known = ['pocketsphinx', 'moonshine'];
const parse = (...words: string[]) => parseSpeechArguments(words, known);

it('measures every engine on the usual folder unless told otherwise', () => {
  expect(parse()).toEqual({ engines: [], rounds: 3, pairs: 5 });
});

it('takes a folder, engines, rounds and pairs, in both spellings', () => {
  expect(
    parse(
      '--folder',
      '/recordings',
      '--engine=moonshine',
      '--engine',
      'pocketsphinx',
      '--rounds=1',
      '--pairs',
      '7',
    ),
  ).toEqual({ folder: '/recordings', engines: ['moonshine', 'pocketsphinx'], rounds: 1, pairs: 7 });
});

it('says what is wrong in a sentence', () => {
  expect(parse('--engine', 'kaldi')).toBe('--engine takes one of pocketsphinx, moonshine, not kaldi.');
  expect(parse('--rounds', '0')).toMatch(/whole number/);
  expect(parse('--folder')).toMatch(/path of a folder/);
  expect(parse('quickly')).toMatch(/^There is no quickly: /);
});
