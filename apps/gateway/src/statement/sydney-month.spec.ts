import { sydneyMonth } from './sydney-month';

// Standard time is UTC+10, daylight saving time UTC+11.
test.each([
  ['2026-04-30T13:59:59.999Z', '2026-04'],
  ['2026-04-30T14:00:00.000Z', '2026-05'],
  ['2026-10-31T12:59:59.999Z', '2026-10'],
  ['2026-10-31T13:00:00.000Z', '2026-11'],
  ['2026-12-31T13:00:00.000Z', '2027-01'],
])('%s is in the Sydney month %s', (moment, month) => {
  expect(sydneyMonth(new Date(moment))).toBe(month);
});
