import { Injectable } from '@nestjs/common';
import { RequestError, TimeoutError } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { PayloadOf, ReplyOf, RequestContract, Result } from '@currawong/contracts';
import { currentTraceHeaders, inSpan } from '@currawong/telemetry';
import { isBreakdown, resultSchemaOf } from './answer-envelope';
import { MessagingConnection } from './connection';
import { RemoteBreakdown, ServiceUnavailable } from './errors';
import { toHeaders } from './headers';
import { requestSeconds } from './metrics';
import { decodePayload, encodePayload } from './payload';

/** Asks another service and waits for its answer. */
@Injectable()
export class Requester {
  constructor(private readonly connection: MessagingConnection) {}

  /**
   * @returns what the other service decided; a refusal is a value like any other
   * @throws ServiceUnavailable at once when nobody listens or the connection is gone, else at the deadline;
   *         RemoteBreakdown when the other side failed; InvalidMessage when the payload is not what the contract says
   */
  async ask<C extends RequestContract>(
    contract: C,
    payload: PayloadOf<C>,
    { deadlineMs = 5_000 }: { deadlineMs?: number } = {},
  ): Promise<Result<ReplyOf<C>>> {
    const { subject } = contract;
    const body = encodePayload(contract.payload, subject, payload);
    const stop = requestSeconds.startTimer({ subject });
    try {
      const result = await inSpan(
        `ask ${subject}`,
        {
          kind: SpanKind.CLIENT,
          attributes: { 'messaging.system': 'nats', 'messaging.destination.name': subject },
        },
        () => this.exchange(contract, body, deadlineMs),
      );
      stop({ outcome: result.ok ? 'accepted' : result.refusal.code });
      return result;
    } catch (error) {
      stop({ outcome: error instanceof ServiceUnavailable ? error.why : 'breakdown' });
      throw error;
    }
  }

  private async exchange<C extends RequestContract>(
    contract: C,
    body: string,
    deadlineMs: number,
  ): Promise<Result<ReplyOf<C>>> {
    const { subject } = contract;
    const reply = await this.connection
      .whileConnected(subject, () =>
        this.connection.nats.request(subject, body, {
          timeout: deadlineMs,
          headers: toHeaders(currentTraceHeaders()),
        }),
      )
      .catch((error: unknown) => {
        if (error instanceof RequestError && error.isNoResponders())
          throw new ServiceUnavailable(subject, 'no_responders', { cause: error });
        if (error instanceof TimeoutError)
          throw new ServiceUnavailable(subject, 'deadline', { cause: error });
        throw error;
      });
    if (isBreakdown(reply.headers)) throw new RemoteBreakdown(subject);
    const decoded = decodePayload(resultSchemaOf(contract), reply.data);
    if (!decoded.ok) throw new RemoteBreakdown(subject, { cause: new Error(decoded.issues) });
    return decoded.value as Result<ReplyOf<C>>;
  }
}
