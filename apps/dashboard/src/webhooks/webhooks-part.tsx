import type { WebhookDeliveryList, WebhookSettings } from '@currawong/contracts';
import { Link } from 'wouter';
import { useApi } from '../api/use-api';
import { ProblemNotice } from '../ui/notice';
import { Section } from '../ui/page';
import { Loading } from '../ui/skeleton';
import { AddressForm } from './address-form';
import { DeliveryTable } from './delivery-table';
import { pollMs } from './delivery-texts';
import { deliveriesPath, DELIVERIES } from './list';
import { SigningSecret } from './signing-secret';
import { TestEvent } from './test-event';
import { Verifying } from './verifying';
import './webhooks-part.css';

const LATEST = 4;

/** Where the ends of jobs are told, and how a receiver knows that it is we who tell. */
export function WebhooksPart() {
  const { data, error, isPending, refetch } = useApi<WebhookSettings>('/webhooks');
  return (
    <>
      <div className="account-parts webhook-parts">
        <Section title="Address">
          <ProblemNotice problem={data ? null : error} onRetry={() => void refetch()} />
          {isPending && <Loading what="the settings" />}
          {data ? <AddressForm settings={data} /> : <div className="webhook-address-wait" />}
        </Section>
        <Section title="Test">
          <TestEvent ready={data !== undefined && data.url !== null && !data.disabled} />
        </Section>
        <Section title="Signing secret">
          <SigningSecret />
        </Section>
        <Section title="Checking signatures">
          <Verifying />
        </Section>
      </div>
      <Latest />
    </>
  );
}

function Latest() {
  const { data, error, isPending, refetch } = useApi<WebhookDeliveryList>(
    deliveriesPath({ page: 1, status: null }, LATEST),
    { pollMs: (list) => pollMs(list?.deliveries ?? [], Date.now()) },
  );
  return (
    <Section title="Latest deliveries" aside={<Link href={DELIVERIES}>All deliveries</Link>}>
      <ProblemNotice problem={data ? null : error} onRetry={() => void refetch()} />
      {data?.deliveries.length === 0 ? (
        <p className="soft">Nothing has been sent yet.</p>
      ) : (
        (data ?? isPending) && (
          <DeliveryTable deliveries={data?.deliveries} rows={LATEST} caption="Latest deliveries" />
        )
      )}
    </Section>
  );
}
