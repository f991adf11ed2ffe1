import { exactMoney, numberMoney, roundedMoney } from './money';

describe('an amount is shown exactly as it is', () => {
  it.each([
    ['0.00', '$0.00'],
    ['12.34', '$12.34'],
    ['12.500000', '$12.50'],
    ['0.013333', '$0.013333'],
    ['-0.013333', '\u2212$0.013333'],
    ['1284.370000', '$1,284.37'],
    ['1234567.000001', '$1,234,567.000001'],
    ['5', '$5.00'],
    ['9007199254740993.000001', '$9,007,199,254,740,993.000001'],
  ])('%s as %s', (aud, shown) => expect(exactMoney(aud)).toBe(shown));

  it('also where the API gives a number', () => {
    expect(numberMoney(0.1 + 0.2)).toBe('$0.30');
    expect(numberMoney(1.675)).toBe('$1.675');
    expect(numberMoney(0.000001)).toBe('$0.000001');
  });
});

describe('a rounded amount is right to the cent, half away from zero', () => {
  it.each([
    ['0.004999', '$0.00'],
    ['0.005000', '$0.01'],
    ['1.005', '$1.01'],
    ['-0.005000', '\u2212$0.01'],
    ['-0.004999', '$0.00'],
    ['999.995000', '$1,000.00'],
    ['12', '$12.00'],
  ])('%s as %s', (aud, shown) => expect(roundedMoney(aud)).toBe(shown));
});

it('what is no amount is not shown as one', () => {
  expect(() => exactMoney('NaN')).toThrow('Not an amount');
});
