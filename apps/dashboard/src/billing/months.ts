/** Calendar months in Australia/Sydney, as `2026-11`: what statements and usage are counted by. */

const IN_SYDNEY = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Australia/Sydney',
  year: 'numeric',
  month: '2-digit',
});

export function monthOf(moment: Date): string {
  const parts = Object.fromEntries(IN_SYDNEY.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${parts['year']}-${parts['month']}`;
}

/** Every month from the first moment to the last, the newest first. */
export function monthsBetween(first: Date, last: Date): string[] {
  const oldest = monthOf(first);
  const months = [monthOf(last)];
  while (months.at(-1)! > oldest) months.push(monthBefore(months.at(-1)!));
  return months;
}

function monthBefore(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}

const DAY = new Intl.DateTimeFormat('en-AU', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const DAY_TIME = new Intl.DateTimeFormat('en-AU', {
  timeZone: 'Australia/Sydney',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

/** `1 November 2026`, of a calendar day. */
export function sydneyDay(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}

/** `1 Nov, 11:10 am`: the moment as the clocks of a statement's time zone show it, wherever it is read. */
export function sydneyDayTime(timestamp: string): string {
  return DAY_TIME.format(new Date(timestamp));
}
