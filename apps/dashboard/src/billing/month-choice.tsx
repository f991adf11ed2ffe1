import { calendarMonth } from '../format/time';
import { useAccount } from '../session/session';
import { Field } from '../ui/field';
import { monthsBetween } from './months';

/** A month since the account was made. */
export function MonthChoice({ month, onChange }: { month: string; onChange: (month: string) => void }) {
  const { created_at } = useAccount();
  const months = monthsBetween(new Date(created_at), new Date());
  return (
    <Field label="Month">
      {(control) => (
        <select
          {...control}
          className="control control-select month-choice"
          value={month}
          onChange={(event) => onChange(event.target.value)}
        >
          {(months.includes(month) ? months : [month, ...months]).map((each) => (
            <option key={each} value={each}>
              {calendarMonth(each)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
