import type { CreditBody } from '@currawong/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { exactMoney } from '../format/money';
import { inWords } from '../format/time';
import { Skeleton } from '../ui/skeleton';

interface Props {
  /** Undefined: not there yet. */
  credit: CreditBody | undefined;
  monthSeconds: number | undefined;
}

/** What one wants to know at a glance, set large. */
export function Figures({ credit, monthSeconds }: Props) {
  return (
    <dl className="figures">
      <Figure
        name="Balance, AUD"
        value={credit && exactMoney(credit.balance_aud)}
        note={<Link href="/billing">Top up</Link>}
      />
      <Figure
        name="Minutes left"
        value={credit?.estimated_remaining_minutes.toLocaleString('en-AU')}
        note={credit && minutesNote(credit)}
      />
      <Figure
        name="This month"
        value={monthSeconds === undefined ? undefined : monthText(monthSeconds)}
        note={credit && `${exactMoney(credit.price_per_minute_aud)} a minute`}
      />
    </dl>
  );
}

/** Short enough to be set large: from a hundred hours on without the minutes. */
function monthText(seconds: number): string {
  if (seconds === 0) return '0 min';
  return inWords(seconds < 360_000 ? seconds : seconds - (seconds % 3_600));
}

function minutesNote({ free_minutes_remaining: free }: CreditBody): string {
  if (free === 0) return 'at the present price';
  return free === 1 ? '1 of them free' : `${free.toLocaleString('en-AU')} of them free`;
}

function Figure({ name, value, note }: { name: string; value: string | undefined; note: ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd className="figure-value number">{value ?? <Skeleton width={4} />}</dd>
      <dd className="figure-note">{note ?? <Skeleton width={10} />}</dd>
    </div>
  );
}
