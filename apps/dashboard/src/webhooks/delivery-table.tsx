import type { WebhookDelivery } from '@currawong/contracts';
import { Link } from 'wouter';
import { dateTime } from '../format/time';
import { Skeleton } from '../ui/skeleton';
import { DeliveryStatus } from './delivery-status';
import { addressText, eventText, latestOutcome } from './delivery-texts';
import './delivery-table.css';

/** Messages to receivers, one a line. `deliveries` undefined: not there yet; then `rows` lines hold their place. */
export function DeliveryTable({
  deliveries,
  rows,
  caption,
}: {
  deliveries: readonly WebhookDelivery[] | undefined;
  rows: number;
  caption: string;
}) {
  return (
    <table className="table table-stack-early delivery-table">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Event and receiver</th>
          <th scope="col">Job</th>
          <th scope="col">Status</th>
          <th scope="col" className="right">
            Attempts
          </th>
          <th scope="col" className="right">
            Next attempt
          </th>
          <th scope="col" className="right">
            Time
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries
          ? deliveries.map((delivery) => <Row key={delivery.id} delivery={delivery} />)
          : Array.from({ length: rows }, (_, index) => <WaitingRow key={index} />)}
      </tbody>
    </table>
  );
}

function Row({ delivery }: { delivery: WebhookDelivery }) {
  const { id, type, url, job_id, attempt_count, next_attempt_at, created_at } = delivery;
  return (
    <tr>
      <td className="delivery-event">
        <Link href={deliveryHref(id)}>{eventText(type)}</Link>
        <p className="delivery-address">{addressText(url)}</p>
      </td>
      <td className="delivery-job">
        {job_id !== null && (
          <Link href={`/jobs/${job_id}`} aria-label={`Job ${job_id}`}>
            <code>{job_id.slice(-12)}</code>
          </Link>
        )}
      </td>
      <td className="delivery-status">
        <DeliveryStatus status={delivery.status} />
        <p className="delivery-outcome">{latestOutcome(delivery)}</p>
      </td>
      <td className="delivery-attempts right number" data-label="Attempts">
        {attempt_count}
      </td>
      <td className="delivery-next right number" data-label="Next attempt">
        {next_attempt_at !== null && <time dateTime={next_attempt_at}>{nextText(next_attempt_at)}</time>}
      </td>
      <td className="delivery-when right number">
        <time dateTime={created_at}>{dateTime(created_at)}</time>
      </td>
    </tr>
  );
}

function WaitingRow() {
  return (
    <tr>
      <td className="delivery-event">
        <Skeleton width={14} />
        <p className="delivery-address">
          <Skeleton width={26} />
        </p>
      </td>
      <td className="delivery-job">
        <Skeleton width={12} />
      </td>
      <td className="delivery-status">
        <Skeleton width={10} />
        <p className="delivery-outcome">
          <Skeleton width={12} />
        </p>
      </td>
      <td className="delivery-attempts right">
        <Skeleton width={2} />
      </td>
      <td className="delivery-next right" />
      <td className="delivery-when right">
        <Skeleton width={12} />
      </td>
    </tr>
  );
}

export function deliveryHref(id: string): string {
  return `/settings/webhooks/deliveries/${id}`;
}

/** What is due already is being sent, or will be as soon as its receiver has answered what came before. */
export function nextText(nextAttemptAt: string, nowMs = Date.now()): string {
  return Date.parse(nextAttemptAt) <= nowMs ? 'Now' : dateTime(nextAttemptAt);
}
