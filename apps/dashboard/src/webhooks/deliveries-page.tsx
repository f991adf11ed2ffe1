import type { WebhookDelivery, WebhookDeliveryList } from '@currawong/contracts';
import { Link, useSearch } from 'wouter';
import { useApi } from '../api/use-api';
import { Empty } from '../ui/empty';
import { FilterBar } from '../ui/filter-bar';
import { BackIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { Loading } from '../ui/skeleton';
import { DeliveryTable } from './delivery-table';
import { pollMs } from './delivery-texts';
import { deliveriesHref, deliveriesPath, deliveriesWanted } from './list';
import './deliveries-page.css';

const PAGE_SIZE = 20;
const FILTERS: [WebhookDelivery['status'] | null, string][] = [
  [null, 'All'],
  ['pending', 'Waiting'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
];

/** Every message to a receiver; filter and page are in the address. */
export default function DeliveriesPage() {
  const wanted = deliveriesWanted(useSearch());
  const deliveries = useApi<WebhookDeliveryList>(deliveriesPath(wanted, PAGE_SIZE), {
    pollMs: (list) => pollMs(list?.deliveries ?? [], Date.now()),
    keepPrevious: true,
  });
  const list = deliveries.data;
  return (
    <Page
      title="Webhook deliveries"
      lead="What your receivers were told, and what they answered."
      actions={
        <Link href="/settings/webhooks" className="back-link">
          <BackIcon /> Webhook settings
        </Link>
      }
    >
      <div className="deliveries">
        <FilterBar
          label="Filter by status"
          choices={FILTERS}
          chosen={wanted.status}
          href={(status) => deliveriesHref({ page: 1, status })}
          count={
            list && (list.total === 1 ? '1 delivery' : `${list.total.toLocaleString('en-AU')} deliveries`)
          }
        />
        <ProblemNotice problem={list ? null : deliveries.error} onRetry={() => void deliveries.refetch()} />
        {deliveries.isPending && <Loading what="the deliveries" />}
        {list?.deliveries.length === 0 ? (
          <NoDeliveries filtered={wanted.status !== null} past={wanted.page > 1} />
        ) : (
          (list ?? deliveries.isPending) && (
            <DeliveryTable
              deliveries={list?.deliveries}
              rows={PAGE_SIZE}
              caption="Deliveries, newest first"
            />
          )
        )}
        {list && (
          <Pager
            page={list.page}
            totalPages={list.total_pages}
            href={(page) => deliveriesHref({ page, status: wanted.status })}
          />
        )}
      </div>
    </Page>
  );
}

function NoDeliveries({ filtered, past }: { filtered: boolean; past: boolean }) {
  if (filtered || past)
    return (
      <Empty title={past ? 'This page is past the end.' : 'No delivery has this status.'}>
        <Link href={deliveriesHref({ page: 1, status: null })}>See all deliveries</Link>
      </Empty>
    );
  return (
    <Empty title="Nothing has been sent yet.">
      <p>
        When a job ends, its message stands here with every attempt to deliver it.{' '}
        <Link href="/settings/webhooks">Say where to send it</Link>, or name an address with a recording, in
        the field <code>webhook_url</code>.
      </p>
    </Empty>
  );
}
