import { columnAmount, isNothing, offeredAmounts, shortAmount, typedAmount } from './amounts';

describe('amounts as shown', () => {
  it('keep to the cent apart from what is below', () => {
    expect(columnAmount('-1234.567800')).toEqual({ toCents: '−$1,234.56', belowCents: '78' });
    expect(columnAmount('25.000000')).toEqual({ toCents: '$25.00', belowCents: '' });
    expect(columnAmount('-0.000001')).toEqual({ toCents: '−$0.00', belowCents: '0001' });
  });

  it('leave out cents only where there are none', () => {
    expect(shortAmount('25.00')).toBe('$25');
    expect(shortAmount('12.50')).toBe('$12.50');
  });

  it('know nothing from a millionth', () => {
    expect(['0.000000', '-0.00', '0.000001', '10'].map(isNothing)).toEqual([true, true, false, false]);
  });
});

describe('amounts as typed', () => {
  const read = (text: string) => typedAmount(text, '5.00', '1000.00');

  it.each([
    ['25', '25'],
    [' $25.50 ', '25.50'],
    ['A$ 7.5', '7.5'],
    ['AUD 40', '40'],
    ['40 aud', '40'],
    ['1,000', '1000'],
    ['1,000.00', '1000.00'],
    ['007', '7'],
    ['5', '5'],
  ])('reads %p as %s', (typed, amountAud) => {
    expect(read(typed)).toEqual({ amountAud });
  });

  it.each(['12,50', '1.234', '-10', '1e2', 'ten', '10 20', '$', '1,00,000', '.5'])(
    'asks again for %p',
    (typed) => {
      expect(read(typed)).toHaveProperty('problem');
    },
  );

  it('says the limits when they are passed, by a cent', () => {
    expect(read('4.99')).toEqual({ problem: 'The least is $5.' });
    expect(read('1000.01')).toEqual({ problem: 'The most is $1,000.' });
  });

  it('offers no amount that would be refused', () => {
    expect(offeredAmounts('20.00', '100.00')).toEqual(['25', '50', '100']);
  });
});
