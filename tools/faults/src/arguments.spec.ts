import { parseArguments } from './arguments';

const known = ['network', 'crowd'];

it('three minutes of everything with a new seed, unless something else is asked for', () => {
  expect(parseArguments([], known)).toEqual({
    ...{ seed: undefined, minutes: 3, faults: [], outageSeconds: 5, keep: false, planted: false },
  });
  const asked = [
    '--seed',
    '0',
    '--minutes',
    '0.5',
    '--faults',
    'network,crowd',
    '--outage-seconds',
    '60',
    '--keep',
  ];
  expect(parseArguments(asked, known)).toEqual({
    ...{ seed: 0, minutes: 0.5, faults: known, outageSeconds: 60, keep: true, planted: false },
  });
});

it.each([
  [['--faults', 'flood'], 'There is no fault flood: there are network, crowd.'],
  [['--minutes', 'long'], '--minutes must be a number above 0, not long.'],
  [['--seed', '1.5'], '--seed must be a whole number, not 1.5.'],
  [['--sed', '1'], "Unknown option '--sed'"],
])('%j is refused with a sentence', (words, sentence) => {
  expect(parseArguments(words, known)).toContain(sentence);
});
