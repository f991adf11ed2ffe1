/** `4:05`, `1:02:03`: how players write the length of a recording. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const rest = `${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${rest}` : rest.replace(/^0(?=\d:)/, '');
}

/** `4 min 5 s`, `1 h 2 min`: in running text, and for those who listen. */
export function inWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
}

const DATE_TIME = new Intl.DateTimeFormat('en-AU', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const THIS_YEAR = new Intl.DateTimeFormat('en-AU', {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const EXACT = new Intl.DateTimeFormat('en-AU', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const DAY = new Intl.DateTimeFormat('en-AU', { day: 'numeric', month: 'short', year: 'numeric' });
const CALENDAR_DAY = new Intl.DateTimeFormat('en-AU', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const CALENDAR_MONTH = new Intl.DateTimeFormat('en-AU', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `21 Nov, 9:14 am` in the reader's own time zone; with the year where it is another one. */
export function dateTime(timestamp: string, now = new Date()): string {
  const at = new Date(timestamp);
  return (at.getFullYear() === now.getFullYear() ? THIS_YEAR : DATE_TIME).format(at);
}

/** `21 November 2026 at 9:14:05 am AEDT`, in the reader's own time zone: for what must be exact. */
export function exactTime(timestamp: string): string {
  return EXACT.format(new Date(timestamp));
}

/** `21 Nov 2026`, of a timestamp, in the reader's own time zone. */
export function day(timestamp: string): string {
  return DAY.format(new Date(timestamp));
}

/** `Sat, 21 Nov`, of a calendar day such as `2026-11-21`, wherever the reader is. */
export function calendarDay(date: string): string {
  return CALENDAR_DAY.format(new Date(`${date}T00:00:00Z`));
}

/** `November 2026`, of a month such as `2026-11`. */
export function calendarMonth(month: string): string {
  return CALENDAR_MONTH.format(new Date(`${month}-01T00:00:00Z`));
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
