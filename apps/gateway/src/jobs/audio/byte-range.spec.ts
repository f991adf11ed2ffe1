import { byteRangeOf } from './byte-range';

it.each([
  ['bytes=0-99', { start: 0, end: 100 }],
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=100-', { start: 100, end: 1000 }],
  ['bytes=999-', { start: 999, end: 1000 }],
  ['bytes=900-5000', { start: 900, end: 1000 }],
  ['bytes=-1', { start: 999, end: 1000 }],
  ['bytes=-5000', { start: 0, end: 1000 }],
  ['BYTES=5-6', { start: 5, end: 7 }],
])('of 1000 bytes %s is %j', (header, range) => {
  expect(byteRangeOf(header, 1000)).toEqual(range);
});

it.each(['bytes=1000-', 'bytes=1000-1001', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
  'of 1000 bytes %s has none',
  (header) => {
    expect(byteRangeOf(header, 1000)).toBe('unsatisfiable');
  },
);

it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'items=0-5', 'bytes=a-b'])(
  '%p is no single range: everything is sent',
  (header) => {
    expect(byteRangeOf(header, 1000)).toBe('whole');
  },
);
