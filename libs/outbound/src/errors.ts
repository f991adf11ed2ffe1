/**
 * Why an outbound call brought no answer:
 * `refused`: the address is one that we do not call;
 * `unknown_name`: its name does not exist;
 * `unreachable`: no connection, or it broke; `timed_out`: it took longer than it may;
 * `too_large`: the answer is longer than it may be; `aborted`: the caller gave up.
 */
export type OutboundFailure =
  'refused' | 'unknown_name' | 'unreachable' | 'timed_out' | 'too_large' | 'aborted';

/** `message` is a sentence for the customer whose address it is; it never names the address. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly failure: OutboundFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
