/** What a handler found out about one message. It never speaks to the broker itself. */
export type Outcome =
  { kind: 'done' } | { kind: 'retry'; afterMs: number; reason: string } | { kind: 'reject'; reason: string };

/** The message has been handled, or had been handled before: it can leave the stream. */
export function done(): Outcome {
  return { kind: 'done' };
}

/** Deliver it again, to this replica or another one. @param afterMs milliseconds to wait, 0 for at once */
export function retry(afterMs: number, reason: string): Outcome {
  return { kind: 'retry', afterMs, reason };
}

/** It can never be handled; the broker drops it and the reason is logged. */
export function reject(reason: string): Outcome {
  return { kind: 'reject', reason };
}

/** The broker's words for an outcome: the body that is published on a delivery's reply subject. */
export function acknowledgementFor(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'done':
      return '+ACK';
    case 'retry':
      return outcome.afterMs > 0
        ? `-NAK ${JSON.stringify({ delay: Math.round(outcome.afterMs) * NANOSECONDS_PER_MILLISECOND })}`
        : '-NAK';
    case 'reject':
      return `+TERM ${oneLine(outcome.reason)}`;
  }
}

/** Asks the broker to start the acknowledgement wait of a delivery anew. */
export const STILL_WORKING = '+WPI';

/**
 * How long a message waits after a handler threw: 1 s, 2 s, 4 s … up to a minute. Without a delay a poison message
 * would spin a worker at full speed.
 * @param redeliveries how often the message was delivered before, 0 for the first time
 */
export function backoffMs(redeliveries: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(redeliveries, 6));
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000;

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
