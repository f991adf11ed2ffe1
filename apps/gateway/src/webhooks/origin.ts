/**
 * Scheme, host and port of an address that was kept: what receivers are told apart by, and what may be logged of it.
 * Whether it may be called is not judged here but at each attempt: one that is refused by then must not keep the
 * deliveries of others from being written.
 */
export function originOf(url: string): string {
  return new URL(url).origin;
}
