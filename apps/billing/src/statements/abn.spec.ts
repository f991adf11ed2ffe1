import { isAbn, writtenAbn } from './abn';

test.each([
  // The one that explanations of the rule use, and two more.
  ['51824753556', true],
  ['53004085616', true],
  ['88000014675', true],
  ['51824753557', false],
  ['15824753556', false],
  ['5182475355', false],
  ['518247535560', false],
  ['00000000000', false],
  ['51824A53556', false],
])('%s is an Australian Business Number: %s', (digits, expected) => {
  expect(isAbn(digits)).toBe(expected);
});

test('any one wrong digit is found', () => {
  const abn = '51824753556';
  for (let place = 0; place < abn.length; place++) {
    for (const digit of '0123456789') {
      const other = abn.slice(0, place) + digit + abn.slice(place + 1);
      expect(isAbn(other)).toBe(other === abn);
    }
  }
});

test('it is written in groups', () => {
  expect(writtenAbn('51824753556')).toBe('51 824 753 556');
});
