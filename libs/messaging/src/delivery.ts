import type { Msg } from '@nats-io/transport-node';
import { fromHeaders } from './headers';
import { acknowledgementFor, STILL_WORKING, type Outcome } from './outcome';

/** What a handler may want to know about the message besides its payload. */
export interface Delivery {
  /** with the suffix that the publisher gave */
  subject: string;
  /** how often it was delivered before; counts interruptions too, so it says nothing about attempts of a job */
  redeliveries: number;
  /** names as they were sent */
  headers: Record<string, string>;
  /** aborted when the service shuts down and the grace for running handlers is over: stop and return or throw */
  signal: AbortSignal;
  /** the publisher's id; '' when it gave none */
  messageId: string;
  publishedAt: Date;
}

/** One message on loan from the broker. It can be settled once; whatever comes later is ignored. */
export class Loan {
  readonly delivery: Delivery;
  private settled = false;

  constructor(
    private readonly message: Msg,
    signal: AbortSignal,
  ) {
    const { deliveries, publishedAtMs } = parseReplySubject(message.reply ?? '');
    const headers = fromHeaders(message.headers);
    this.delivery = {
      subject: message.subject,
      redeliveries: deliveries - 1,
      headers,
      signal,
      messageId: headers['Nats-Msg-Id'] ?? '',
      publishedAt: new Date(publishedAtMs),
    };
  }

  get bytes(): Uint8Array {
    return this.message.data;
  }

  /** Tells the broker that the message is still being handled. */
  extend(): void {
    if (!this.settled) this.say(STILL_WORKING);
  }

  /** @returns false when it was settled before */
  settle(outcome: Outcome): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.say(acknowledgementFor(outcome));
    return true;
  }

  /** While the connection is away the client keeps the words and sends them afterwards. */
  private say(words: string): void {
    try {
      this.message.respond(words);
    } catch {
      // The connection is closed for good; the broker delivers the message again when its wait is over.
    }
  }
}

/**
 * JetStream puts what it knows about a delivery into the reply subject:
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<nanoseconds>.<pending>`, newer servers with
 * `<domain>.<account>` before the stream.
 */
export function parseReplySubject(reply: string): { deliveries: number; publishedAtMs: number } {
  const tokens = reply.split('.');
  const offset = tokens.length >= 11 ? 2 : 0;
  const deliveries = Number(tokens[4 + offset]);
  const publishedAtMs = Number((tokens[7 + offset] ?? '').slice(0, -6));
  if (tokens[1] !== 'ACK' || !(deliveries >= 1) || !(publishedAtMs > 0))
    throw new TypeError(`not the reply subject of a stream's message: ${reply}`);
  return { deliveries, publishedAtMs };
}
