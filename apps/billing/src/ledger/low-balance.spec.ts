import { type CustomerBooks, EMPTY_BOOKS } from './books';
import { fellLow } from './low-balance';

// A threshold of AUD 5; balances in AUD, free seconds after the slash, what is held of each after the plus sign.
const TABLE = `
  before    | after      | told
  6/0       | 4/0        | yes
  5/0       | 4.999999/0 | yes
  6/0       | 5/0        | no
  4/0       | 3/0        | no
  4/0       | 6/0        | no
  0/60      | 0/0        | yes
  0/60      | 0/1        | no
  3/60      | 3/0        | yes
  6/60      | 6/0        | no
  6/0       | 2+4/0      | no
  2+4/0     | 2+2/0      | yes
  0/0+60    | 0/0        | yes
  0/60      | 0/0+60     | no`;
const ROWS = TABLE.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()) as [string, string, string]);

test.each(ROWS)('from %s to %s: a message, %s', (before, after, told) => {
  expect(fellLow(books(before), books(after), 5_000_000n)).toBe(told === 'yes');
});

function books(text: string): CustomerBooks {
  const [money, free] = text.split('/').map((part) => part.split('+').map(Number)) as [number[], number[]];
  const amounts = (index: number) => ({
    microAud: BigInt(Math.round((money[index] ?? 0) * 1_000_000)),
    freeSeconds: BigInt(free[index] ?? 0),
  });
  return { ...EMPTY_BOOKS, available: amounts(0), held: amounts(1) };
}
