import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { JetStreamApiError } from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { PayloadOf, StreamMessageContract } from '@currawong/contracts';
import { currentTraceHeaders, runWithTraceHeaders } from '@currawong/telemetry';
import { MessagingConnection } from './connection';
import { ServiceUnavailable } from './errors';
import { toHeaders } from './headers';
import { publishSeconds } from './metrics';
import { encodePayload } from './payload';

export interface PublishOptions {
  /** the broker stores an id once within two minutes; see `duplicate` */
  messageId: string;
  headers?: Record<string, string>;
  /** more tokens for the subject, without the leading dot: `acc_1.job_2` */
  subjectSuffix?: string;
}

/** A message as an outbox row holds it: already checked against its contract when the row was written. */
export interface RawMessage {
  subject: string;
  /** JSON text */
  payload: string;
  messageId: string;
  headers?: Record<string, string>;
}

/** `duplicate: true`: the broker had this id within two minutes and did not store the message again. */
export interface Published {
  duplicate: boolean;
}

export type PublishOutcome = { ok: true; duplicate: boolean } | { ok: false; error: Error };

/** Puts messages into the streams; each call waits until the broker says that it is stored. */
@Injectable()
export class Publisher {
  constructor(private readonly connection: MessagingConnection) {}

  /** @throws ServiceUnavailable when it is not known to be stored; InvalidMessage */
  async publish<C extends StreamMessageContract>(
    contract: C,
    payload: PayloadOf<C>,
    options: PublishOptions,
  ): Promise<Published> {
    return this.publishRaw(toRawMessage(contract, payload, options));
  }

  /** @throws ServiceUnavailable when it is not known to be stored */
  async publishRaw(message: RawMessage): Promise<Published> {
    const { subject } = message;
    const stop = publishSeconds.startTimer({ subject: firstTokens(subject) });
    try {
      // An outbox row carries the trace of the request that wrote it; without one the current trace goes on.
      const published = await runWithTraceHeaders(
        { ...currentTraceHeaders(), ...message.headers },
        `publish ${firstTokens(subject)}`,
        {
          'messaging.system': 'nats',
          'messaging.destination.name': subject,
          'messaging.message.id': message.messageId,
        },
        () => this.store(message),
        SpanKind.PRODUCER,
      );
      stop({ outcome: published.duplicate ? 'duplicate' : 'stored' });
      return published;
    } catch (error) {
      stop({ outcome: 'failed' });
      throw error;
    }
  }

  /**
   * Publishes in order of the list with `window` messages on their way at a time, for relays. A message that fails
   * does not keep the others back, so order is only kept among those that succeed.
   * @returns one outcome per message, in the same order
   */
  async publishMany(
    messages: readonly RawMessage[],
    { window = 64 }: { window?: number } = {},
  ): Promise<PublishOutcome[]> {
    const outcomes = new Array<PublishOutcome>(messages.length);
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < messages.length; index = next++) {
        outcomes[index] = await this.publishRaw(messages[index] as RawMessage).then(
          ({ duplicate }) => ({ ok: true as const, duplicate }),
          (error: unknown) => ({ ok: false as const, error: error as Error }),
        );
      }
    };
    await Promise.all(Array.from({ length: Math.min(window, messages.length) }, lane));
    return outcomes;
  }

  private async store(message: RawMessage): Promise<Published> {
    try {
      return await this.tryToStore(message);
    } catch (error) {
      if (!isStreamMissing(error)) throw asUnavailable(message.subject, error);
    }
    // Nobody takes this subject: the broker has lost the stream (or is still loading it). Put it back, or give the
    // service that owns it the time to notice, and try again.
    let missing: unknown;
    for (const pauseMs of this.connection.makesStreams ? [0] : OWNER_PUTS_IT_BACK_MS) {
      try {
        await sleep(pauseMs);
        await this.connection.restoreStreams();
        return await this.tryToStore(message);
      } catch (error) {
        if (!isStreamMissing(error)) throw asUnavailable(message.subject, error);
        missing = error;
      }
    }
    throw asUnavailable(message.subject, missing);
  }

  private async tryToStore({ subject, payload, messageId, headers }: RawMessage): Promise<Published> {
    const acknowledgement = await this.connection.whileConnected(subject, () =>
      this.connection.client.publish(subject, payload, {
        msgID: messageId,
        timeout: ACKNOWLEDGEMENT_TIMEOUT_MS,
        headers: toHeaders({ ...headers, ...currentTraceHeaders() }),
      }),
    );
    return { duplicate: acknowledgement.duplicate };
  }
}

/**
 * The row that an outbox stores for a message: checked, with the trace it belongs to.
 * @throws InvalidMessage
 */
export function toRawMessage<C extends StreamMessageContract>(
  contract: C,
  payload: PayloadOf<C>,
  { messageId, headers, subjectSuffix }: PublishOptions,
): RawMessage {
  return {
    subject: subjectSuffix === undefined ? contract.subject : `${contract.subject}.${subjectSuffix}`,
    payload: encodePayload(contract.payload, contract.subject, payload),
    messageId,
    headers: { ...currentTraceHeaders(), ...headers },
  };
}

/** Fsync per message on a busy disk takes tens of milliseconds; this is for a broker that has stopped answering. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 5_000;
/** Pauses before each attempt; the owner's consumers tell it within a second that its stream is gone. */
const OWNER_PUTS_IT_BACK_MS = [250, 750, 1_500];

function isStreamMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'JetStreamNotEnabled';
}

function asUnavailable(subject: string, error: unknown): Error {
  if (error instanceof ServiceUnavailable) return error;
  if (error instanceof TimeoutError) return new ServiceUnavailable(subject, 'deadline', { cause: error });
  if (isStreamMissing(error)) return new ServiceUnavailable(subject, 'no_responders', { cause: error });
  if (error instanceof JetStreamApiError) return new ServiceUnavailable(subject, 'storage', { cause: error });
  return error as Error;
}

/** Suffixes name single jobs; a metric or span name must not. */
function firstTokens(subject: string): string {
  return subject.split('.').slice(0, 2).join('.');
}
