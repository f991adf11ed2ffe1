import type { UsageBreakdown } from '@currawong/contracts';
import { useState, type KeyboardEvent } from 'react';
import { exactMoney } from '../format/money';
import { calendarDay, inWords } from '../format/time';
import { barHeights, monthDays, type Day } from './month';
import './usage-chart.css';

const HEIGHT = 160;
const STEP = 10;

/**
 * Audio per day of a month. Bars are read with the pointer or, once the chart has the focus, with the arrow keys; the
 * same numbers stand in a table below.
 */
export function UsageChart({ usage }: { usage: UsageBreakdown }) {
  const days = monthDays(usage.month, usage.days);
  const { heights, ticks } = barHeights(days, HEIGHT);
  const lastDay = Math.max(usage.days.length - 1, 0);
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = days[chosen ?? lastDay];
  const move = (event: KeyboardEvent) => {
    const to = target(event.key, chosen ?? lastDay, lastDay);
    if (to === null) return;
    event.preventDefault();
    setChosen(to);
  };
  return (
    <figure className="usage">
      <figcaption className="usage-reading" aria-live="polite">
        {shown && <Reading day={shown} />}
      </figcaption>
      <div
        className="usage-plot"
        role="slider"
        aria-label="Day of the month"
        aria-valuemin={1}
        aria-valuemax={lastDay + 1}
        aria-valuenow={(chosen ?? lastDay) + 1}
        aria-valuetext={shown && sentence(shown)}
        tabIndex={0}
        onKeyDown={move}
        onPointerLeave={() => setChosen(null)}
      >
        <div className="usage-scale" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick.label} style={{ bottom: `${tick.share * 100}%` }}>
              {tick.label}
            </span>
          ))}
        </div>
        <svg
          className="usage-bars"
          viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {ticks.map((tick) => (
            <line
              key={tick.label}
              className="usage-line"
              x2={days.length * STEP}
              y1={HEIGHT * (1 - tick.share)}
              y2={HEIGHT * (1 - tick.share)}
            />
          ))}
          {days.map((day, index) => (
            <g
              key={day.date}
              className={index === (chosen ?? lastDay) ? 'usage-day usage-day-chosen' : 'usage-day'}
              onPointerEnter={() => setChosen(index <= lastDay ? index : null)}
            >
              <rect className="usage-reach" x={index * STEP} width={STEP} height={HEIGHT} />
              {index === (chosen ?? lastDay) && (
                <rect className="usage-here" x={index * STEP + 1.5} width={STEP - 3} y={HEIGHT} height={5} />
              )}
              <rect
                className="usage-bar"
                x={index * STEP + 1.5}
                width={STEP - 3}
                y={HEIGHT - heights[index]!}
                height={heights[index]}
              />
            </g>
          ))}
        </svg>
        <div className="usage-dates number" aria-hidden="true">
          <span>1</span>
          <span>8</span>
          <span>15</span>
          <span>22</span>
          {days.length > 28 && <span>29</span>}
        </div>
      </div>
      <UsageTable days={days.slice(0, lastDay + 1)} />
    </figure>
  );
}

function Reading({ day }: { day: Day }) {
  return (
    <>
      <strong>{calendarDay(day.date)}</strong>
      <span className="number">{day.seconds === 0 ? 'nothing' : inWords(day.seconds)}</span>
      {day.jobs > 0 && (
        <span className="soft number">
          {day.jobs === 1 ? '1 job' : `${day.jobs} jobs`}, {exactMoney(day.costAud)}
        </span>
      )}
    </>
  );
}

function UsageTable({ days }: { days: readonly Day[] }) {
  const used = days.filter(({ jobs }) => jobs > 0);
  return (
    <details className="usage-table">
      <summary>As a table</summary>
      {used.length === 0 ? (
        <p className="soft">Nothing was transcribed this month.</p>
      ) : (
        <table className="table">
          <caption className="visually-hidden">Use per day, days without use left out</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" className="right">
                Jobs
              </th>
              <th scope="col" className="right">
                Audio
              </th>
              <th scope="col" className="right">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {used.map((day) => (
              <tr key={day.date}>
                <td>{calendarDay(day.date)}</td>
                <td className="right number">{day.jobs}</td>
                <td className="right number">{inWords(day.seconds)}</td>
                <td className="right number">{exactMoney(day.costAud)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function sentence(day: Day): string {
  return `${calendarDay(day.date)}: ${day.seconds === 0 ? 'nothing' : inWords(day.seconds)}`;
}

function target(key: string, from: number, last: number): number | null {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(from - 1, 0);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(from + 1, last);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
