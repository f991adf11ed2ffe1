import { accept, refuse, type Result } from '@currawong/contracts';
import { DataSource, type EntityManager, row } from '@currawong/database';

/** A calendar month where our customers live. */
export interface SydneyMonth {
  month: string;
  /** First and last day, as dates YYYY-MM-DD. */
  firstDay: string;
  lastDay: string;
  /** Today where it is the current month; null where it is over. */
  today: string | null;
}

/**
 * The month that is wanted, the current one unless told, all by the database's clock. Refuses with `invalid_parameter`
 * where it has not begun or is before our time.
 */
export async function sydneyMonth(
  on: DataSource | EntityManager,
  wanted?: string,
): Promise<Result<SydneyMonth>> {
  const now = await row<{ today: string }>(
    on,
    `SELECT (now() AT TIME ZONE 'Australia/Sydney')::date::text AS today`,
  );
  const today = now!.today;
  const current = today.slice(0, 7);
  const month = wanted ?? current;
  if (month > current) return refuse('invalid_parameter', `month: ${month} has not begun yet`);
  if (month < EARLIEST) return refuse('invalid_parameter', `month: must be ${EARLIEST} or later`);
  return accept({
    month,
    firstDay: `${month}-01`,
    lastDay: `${month}-${daysIn(month)}`,
    today: month === current ? today : null,
  });
}

/** The day after the last one: when a month is over, and its statement final. */
export function dayAfter({ month }: SydneyMonth): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
}

const EARLIEST = '2000-01';

function daysIn(month: string): number {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
}
