import { AckPolicy, DeliverPolicy, JetStreamApiCodes } from '@nats-io/jetstream';
import type { StreamMessageContract, StreamName } from '@currawong/contracts';
import { isApiError } from './api-error';
import type { MessagingConnection } from './connection';

export interface ConsumerDefinition {
  stream: StreamName;
  durable: string;
  contracts: readonly StreamMessageContract[];
  ackWaitSeconds: number;
}

/** Makes stream and consumer what they should be, whatever the broker has lost or kept from an earlier release. */
export async function ensureConsumer(
  connection: MessagingConnection,
  definition: ConsumerDefinition,
): Promise<void> {
  await connection.restoreStreams();
  const { stream, durable } = definition;
  const { consumers } = await connection.jetstreamManager();
  const changeable = {
    ack_wait: definition.ackWaitSeconds * NANOSECONDS_PER_SECOND,
    filter_subjects: definition.contracts.flatMap(({ subject }) => [subject, `${subject}.>`]),
    // Attempts are counted and ended in Postgres: a message that the broker gave up on would be invisible for ever.
    max_deliver: -1,
    // Messages put back with a delay count as pending; with a limit enough of them would stop all others.
    max_ack_pending: -1,
  };
  await consumers
    .add(stream, {
      ...changeable,
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      // One waiting request per idle slot of all replicas.
      max_waiting: 4_096,
    })
    .catch((error: unknown) => {
      if (isApiError(error, JetStreamApiCodes.StreamNotFound))
        throw new Error(`the stream ${stream} is not there yet: the service that owns it makes it`, {
          cause: error,
        });
      if (!isApiError(error, CONSUMER_EXISTS)) throw error;
      return consumers.update(stream, durable, changeable);
    });
}

const CONSUMER_EXISTS = 10148;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
