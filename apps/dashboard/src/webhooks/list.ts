import type { WebhookDelivery } from '@currawong/contracts';
import { pageOf } from '../jobs/list';

type DeliveryStatus = WebhookDelivery['status'];

export interface DeliveriesWanted {
  page: number;
  status: DeliveryStatus | null;
}

export const DELIVERIES = '/settings/webhooks/deliveries';
const STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed'];

/** What the address asks for; what makes no sense in it is left out rather than sent to the API. */
export function deliveriesWanted(search: string): DeliveriesWanted {
  const query = new URLSearchParams(search);
  return {
    page: pageOf(search),
    status: STATUSES.find((status) => status === query.get('status')) ?? null,
  };
}

/** The address of the page that shows these. */
export function deliveriesHref({ page, status }: DeliveriesWanted): string {
  const query = new URLSearchParams();
  if (status) query.set('status', status);
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? DELIVERIES : `${DELIVERIES}?${query}`;
}

export function deliveriesPath({ page, status }: DeliveriesWanted, pageSize: number): string {
  return `/webhooks/deliveries?page=${page}&page_size=${pageSize}${status ? `&status=${status}` : ''}`;
}
