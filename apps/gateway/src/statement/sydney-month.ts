const FORMAT = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Australia/Sydney',
  year: 'numeric',
  month: '2-digit',
});

/** The calendar month in Australia/Sydney, daylight saving time included: `2026-11`. */
export function sydneyMonth(moment: Date): string {
  const parts = Object.fromEntries(FORMAT.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${parts['year']}-${parts['month']}`;
}
