import { parseArguments } from './arguments';

const known = ['upload', 'reads', 'latency'];

it('measures everything with five pairs unless told otherwise', () => {
  expect(parseArguments([], known)).toEqual({ names: known, pairs: 5 });
});

it('measures what is named, once, in the order of the table', () => {
  expect(parseArguments(['latency', 'upload', 'latency', '--pairs', '3'], known)).toEqual({
    names: ['upload', 'latency'],
    pairs: 3,
  });
  expect(parseArguments(['--pairs=7'], known)).toEqual({ names: known, pairs: 7 });
});

it('says what is wrong in a sentence', () => {
  expect(parseArguments(['uploads'], known)).toContain('upload, reads, latency');
  for (const wrong of [['--pairs'], ['--pairs', '0'], ['--pairs', '2.5'], ['--pairs=many']])
    expect(parseArguments(wrong, known)).toContain('--pairs takes a whole number');
});
