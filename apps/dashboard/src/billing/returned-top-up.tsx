import type { TopUpBody } from '@currawong/contracts';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useRefresh } from '../api/use-api';
import { announce } from '../ui/announcer';
import { Notice } from '../ui/notice';
import { shortAmount } from './amounts';

/** For whoever comes back from the payment page: whether the money has arrived. */
export function ReturnedTopUp({ topUp }: { topUp: TopUpBody | undefined }) {
  const state = topUp?.state;
  const refresh = useRefresh();
  useEffect(() => {
    if (state !== 'paid') return;
    announce('The payment has arrived.');
    void refresh('/credit', '/statement');
    // Once when it is paid, not whenever the page is drawn.
  }, [state]);
  if (!topUp) return null;
  const amount = shortAmount(topUp.amount_aud);
  switch (topUp.state) {
    case 'paid':
      return (
        <Notice kind="done">
          <p>
            <strong>{amount} was added to your balance.</strong> The tax invoice is part of the{' '}
            <Link href="/billing/statement">statement</Link> of this month.
          </p>
        </Notice>
      );
    case 'open':
      return (
        <Notice>
          <p>
            <strong>Your payment of {amount} is not confirmed yet.</strong> This usually takes a few seconds;
            this page looks by itself.{' '}
            {topUp.checkout_url && (
              <a href={topUp.checkout_url}>Go back to the payment page if you have not paid.</a>
            )}
          </p>
        </Notice>
      );
    case 'expired':
    case 'failed':
      return (
        <Notice kind="problem">
          <p>
            <strong>The payment of {amount} was not made.</strong> Nothing was added, and nothing was taken
            from your card. You can start again below.
          </p>
        </Notice>
      );
  }
}
