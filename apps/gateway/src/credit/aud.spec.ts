import { audNumber, centsDown, centsUp, microAudOf } from './aud';

test.each([
  [0, '0.00', '0.00'],
  [1, '0.00', '0.01'],
  [9_999, '0.00', '0.01'],
  [10_000, '0.01', '0.01'],
  [496_667, '0.49', '0.50'],
  [12_345_678, '12.34', '12.35'],
  [1_000_000_000, '1000.00', '1000.00'],
  [-1, '-0.01', '0.00'],
])('%i micro-AUD is shown as %s of what is left and %s of what was used', (micro, down, up) => {
  expect(centsDown(micro)).toBe(down);
  expect(centsUp(micro)).toBe(up);
});

test('a number keeps the micro-AUD', () => {
  expect(audNumber(12_345_678)).toBe(12.345678);
});

test.each([
  ['0', 0],
  ['25', 25_000_000],
  ['12.5', 12_500_000],
  ['12.10', 12_100_000],
  ['999999.99', 999_999_990_000],
  ['0.000001', 1],
])('AUD %s is %i micro-AUD', (text, micro) => {
  expect(microAudOf(text)).toBe(micro);
});
