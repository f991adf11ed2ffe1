import { Injectable } from '@nestjs/common';
import type { NoticeContract, PayloadOf } from '@currawong/contracts';
import { currentTraceHeaders } from '@currawong/telemetry';
import { MessagingConnection } from './connection';
import { toHeaders } from './headers';
import { encodePayload } from './payload';

/** Tells whoever listens now, at most once. */
@Injectable()
export class Notices {
  constructor(private readonly connection: MessagingConnection) {}

  /**
   * Returns before the broker has it. While the connection is away notices are kept in memory and sent afterwards.
   * @throws InvalidMessage; nothing else: a notice that cannot be sent is logged and forgotten
   */
  send<C extends NoticeContract>(contract: C, payload: PayloadOf<C>): void {
    const body = encodePayload(contract.payload, contract.subject, payload);
    try {
      this.connection.nats.publish(contract.subject, body, { headers: toHeaders(currentTraceHeaders()) });
    } catch (error) {
      this.connection.logger.warn({ err: error, subject: contract.subject }, 'a notice could not be sent');
    }
  }
}
