import type { CreditBody, TopUpList } from '@currawong/contracts';
import { useSearch } from 'wouter';
import { useApi } from '../api/use-api';
import { exactMoney } from '../format/money';
import { ProblemNotice } from '../ui/notice';
import { Section } from '../ui/page';
import { Loading, Skeleton } from '../ui/skeleton';
import { ReturnedTopUp } from './returned-top-up';
import { TopUpForm } from './top-up-form';
import { TopUpTable } from './top-up-table';

const POLL_MS = 2_000;

/** What can be spent, and how to add to it. */
export function CreditPart() {
  const returnedId = new URLSearchParams(useSearch()).get('top-up');
  const credit = useApi<CreditBody>('/credit');
  const topUps = useApi<TopUpList>('/top-ups', {
    pollMs: (list) => (list?.top_ups.find(({ id }) => id === returnedId)?.state === 'open' ? POLL_MS : false),
  });
  return (
    <>
      <ReturnedTopUp topUp={topUps.data?.top_ups.find(({ id }) => id === returnedId)} />
      <ProblemNotice problem={credit.data ? null : credit.error} onRetry={() => void credit.refetch()} />
      {credit.isPending && <Loading what="the balance" />}
      <Balance credit={credit.data} />
      <Section title="Top up">
        <ProblemNotice problem={topUps.data ? null : topUps.error} onRetry={() => void topUps.refetch()} />
        {topUps.data ? (
          <TopUpForm limits={topUps.data} />
        ) : (
          topUps.isPending && <div className="top-up-wait" />
        )}
      </Section>
      {topUps.data && topUps.data.top_ups.length > 0 && (
        <Section title="Top-ups so far">
          <TopUpTable topUps={topUps.data.top_ups} />
        </Section>
      )}
    </>
  );
}

function Balance({ credit }: { credit: CreditBody | undefined }) {
  const free = credit?.free_minutes_remaining ?? 0;
  return (
    <div className="balance">
      <dl className="balance-main">
        <dt>Balance, AUD</dt>
        <dd className="number">{credit ? exactMoney(credit.balance_aud) : <Skeleton width={5} />}</dd>
      </dl>
      <dl className="balance-facts">
        <Fact name="Enough for about" value={credit && minutes(credit.estimated_remaining_minutes)} />
        {(credit === undefined || free > 0) && <Fact name="Of these, free" value={credit && minutes(free)} />}
        <Fact
          name="Price"
          value={credit && `${exactMoney(credit.price_per_minute_aud)} a minute, by the second`}
        />
        <Fact name="Added so far" value={credit && exactMoney(credit.total_topped_up_aud)} />
        <Fact name="Used so far" value={credit && exactMoney(credit.total_used_aud)} />
      </dl>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="number">{value ?? <Skeleton width={9} />}</dd>
    </div>
  );
}

function minutes(count: number): string {
  return count === 1 ? '1 minute' : `${count.toLocaleString('en-AU')} minutes`;
}
