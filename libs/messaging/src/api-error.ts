import { JetStreamApiError } from '@nats-io/jetstream';

/** Whether the broker refused a request of its JetStream API with this code. */
export function isApiError(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
