import type { WebhookAttempt, WebhookDelivery } from '@currawong/contracts';

const EVENTS: Record<WebhookDelivery['type'], string> = {
  'job.completed': 'Job completed',
  'job.failed': 'Job failed',
  'webhook.test': 'Test event',
};

export function eventText(type: WebhookDelivery['type']): string {
  return EVENTS[type];
}

/** Where a message goes, without what may be a secret of its receiver's. */
export function addressText(url: string): string {
  try {
    const { protocol, host, pathname, search } = new URL(url);
    const shown = `${host}${pathname === '/' && search === '' ? '' : pathname}${search === '' ? '' : '?…'}`;
    return protocol === 'https:' ? shown : `${protocol}//${shown}`;
  } catch {
    return url;
  }
}

/** What came of an attempt: `Answered 204`, or why no answer came, as a sentence without its full stop. */
export function outcomeText({ status_code, error }: Pick<WebhookAttempt, 'status_code' | 'error'>): string {
  if (status_code !== null) return `Answered ${status_code}`;
  return error ? `${error[0]!.toUpperCase()}${error.slice(1)}` : 'No answer';
}

/** The same of the latest attempt; empty before the first. */
export function latestOutcome(delivery: Pick<WebhookDelivery, 'last_status_code' | 'last_error'>): string {
  const { last_status_code: status_code, last_error: error } = delivery;
  return status_code === null && error === null ? '' : outcomeText({ status_code, error });
}

/** `38 ms`, `1.2 s` */
export function durationText(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

const SOON_MS = 60_000;

/** In how many milliseconds deliveries are worth asking for again: soon where one is about to be sent; false where none is. */
export function pollMs(
  deliveries: readonly Pick<WebhookDelivery, 'status' | 'next_attempt_at'>[],
  nowMs: number,
): number | false {
  const next = deliveries
    .filter(({ status }) => status === 'pending')
    .map(({ next_attempt_at }) => (next_attempt_at === null ? nowMs : Date.parse(next_attempt_at)));
  if (next.length === 0) return false;
  return Math.min(...next) - nowMs < SOON_MS ? 2_000 : 20_000;
}
