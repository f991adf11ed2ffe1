import { aimText, figure, isReached, shown } from './figure';

const of = { what: 'speed', rangeOf: '3 pairs', how: '' };

it('an aim is reached by the median as measured, not as printed', () => {
  expect(isReached(figure([0.8999], { ...of, aim: { atLeast: 0.9 } }))).toBe(false);
  expect(isReached(figure([0.1, 0.9, 2], { ...of, aim: { atLeast: 0.9 } }))).toBe(true);
  expect(isReached(figure([25.001], { ...of, aim: { atMost: 25 } }))).toBe(false);
  expect(isReached(figure([25], { ...of, aim: { atMost: 25 } }))).toBe(true);
});

it('what has no aim is neither reached nor missed', () => {
  expect(isReached(figure([1], of))).toBeUndefined();
  expect(aimText(figure([1], of))).toBe('–');
});

it('what was measured under easier conditions does not reach the aim, whatever it is', () => {
  expect(isReached(figure([1], { ...of, aim: { atMost: 25 }, eased: true }))).toBeUndefined();
});

it('is shown with three figures that count', () => {
  expect([1234.5, 123.45, 12.345, 1.2345, 0.12345, 0.036412, 0.00012, 0, -4.5678].map(shown)).toEqual([
    ...['1235', '123', '12.3', '1.23', '0.123', '0.0364', '0.0001', '0', '-4.57'],
  ]);
});

it('an aim is shown with its unit', () => {
  expect(aimText(figure([1], { ...of, unit: 'ms', aim: { atMost: 25 } }))).toBe('≤ 25 ms');
  expect(aimText(figure([1], { ...of, aim: { atLeast: 0.9 } }))).toBe('≥ 0.9');
});
