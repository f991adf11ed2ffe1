import type { UsageBreakdown } from '@currawong/contracts';
import { inWords } from '../format/time';

export interface Day {
  /** Such as `2026-11-21`. */
  date: string;
  seconds: number;
  jobs: number;
  costAud: string;
}

/** Every day of the month, those to come as well: the chart keeps its shape from the first to the last. */
export function monthDays(month: string, days: UsageBreakdown['days']): Day[] {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const known = new Map(days.map((day) => [day.date, day]));
  return Array.from({ length: count }, (_, index) => {
    const date = `${month}-${String(index + 1).padStart(2, '0')}`;
    const day = known.get(date);
    return {
      date,
      seconds: day?.audio_seconds ?? 0,
      jobs: day?.jobs ?? 0,
      costAud: day?.cost_aud ?? '0.000000',
    };
  });
}

export interface Tick {
  label: string;
  /** Of the full height. */
  share: number;
}

/** Bars on a scale that ends at a round time, and its two marks. A day with any use at all can be seen. */
export function barHeights(days: readonly Day[], height: number): { heights: number[]; ticks: Tick[] } {
  const most = Math.max(...days.map(({ seconds }) => seconds));
  const top = ROUND_SECONDS.find((seconds) => seconds >= most) ?? Math.ceil(most / 360_000) * 360_000;
  return {
    heights: days.map(({ seconds }) => (seconds === 0 ? 0 : Math.max((seconds / top) * height, 2))),
    ticks: [
      { label: inWords(top / 2), share: 0.5 },
      { label: inWords(top), share: 1 },
    ],
  };
}

const ROUND_SECONDS = [
  ...[2, 10, 20, 30, 60].map((minutes) => minutes * 60),
  ...[2, 4, 6, 10, 20, 40, 60, 100].map((hours) => hours * 3600),
];

/** Of the whole month so far. */
export function monthTotal(days: UsageBreakdown['days']): { seconds: number; jobs: number } {
  return {
    seconds: days.reduce((sum, day) => sum + day.audio_seconds, 0),
    jobs: days.reduce((sum, day) => sum + day.jobs, 0),
  };
}
