import { parseTarget } from '@currawong/outbound';

/** Scheme, host and port of an address that was kept: what receivers are told apart by, and what may be logged of it. */
export function originOf(url: string): string {
  const target = parseTarget(url);
  if (!target.ok) throw new Error(`an address was kept that ${target.problem}`);
  return target.url.origin;
}
