import type { UsageBreakdown } from '@currawong/contracts';
import { useApi } from '../api/use-api';
import { exactMoney } from '../format/money';
import { calendarMonth, inWords } from '../format/time';
import { monthTotal } from '../overview/month';
import { UsageChart } from '../overview/usage-chart';
import { ProblemNotice } from '../ui/notice';
import { Section } from '../ui/page';
import { Loading } from '../ui/skeleton';
import { MonthChoice } from './month-choice';
import { useMonth } from './use-month';

/** What was transcribed in a month, by day and by key. */
export function UsagePart() {
  const [month, setMonth] = useMonth();
  const usage = useApi<UsageBreakdown>(`/usage/breakdown?month=${month}`, { keepPrevious: true });
  const total = usage.data && monthTotal(usage.data.days);
  return (
    <>
      <div className="month-bar">
        <MonthChoice month={month} onChange={setMonth} />
      </div>
      <ProblemNotice problem={usage.error} onRetry={() => void usage.refetch()} />
      {usage.isPending && <Loading what="the usage" />}
      <Section
        title={`By day in ${calendarMonth(month)}`}
        aside={
          <span className="soft number">
            {total && `${inWords(total.seconds)} in ${total.jobs === 1 ? '1 job' : `${total.jobs} jobs`}`}
          </span>
        }
      >
        {usage.data ? (
          <UsageChart key={usage.data.month} usage={usage.data} />
        ) : (
          <div className="usage-part-wait" />
        )}
      </Section>
      {usage.data && usage.data.keys.length > 0 && (
        <Section title="By key">
          <KeyTable keys={usage.data.keys} />
        </Section>
      )}
    </>
  );
}

function KeyTable({ keys }: { keys: UsageBreakdown['keys'] }) {
  return (
    <table className="table">
      <caption className="visually-hidden">Use per key</caption>
      <thead>
        <tr>
          <th scope="col">Sent with</th>
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
        {keys.map((key) => (
          <tr key={key.key_id ?? 'dashboard'}>
            <th scope="row" className="row-head">
              {key.name ?? (key.key_id === null ? 'This dashboard' : 'A key that is gone')}
            </th>
            <td className="right number">{key.jobs.toLocaleString('en-AU')}</td>
            <td className="right number">{inWords(key.audio_seconds)}</td>
            <td className="right number">{exactMoney(key.cost_aud)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
