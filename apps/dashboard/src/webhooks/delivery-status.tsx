import type { WebhookDelivery } from '@currawong/contracts';
import { StatusEye } from '../ui/status';

const SHOWN = {
  pending: ['pending', 'Waiting'],
  delivered: ['completed', 'Delivered'],
  failed: ['failed', 'Failed'],
} as const;

/** Where a delivery stands, by the eyes that jobs have. */
export function DeliveryStatus({ status }: Pick<WebhookDelivery, 'status'>) {
  const [eye, word] = SHOWN[status];
  return (
    <span className={`status status-${eye}`}>
      <StatusEye status={eye} />
      <span>{word}</span>
    </span>
  );
}
