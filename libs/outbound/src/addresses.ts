import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses, such as 10.20.0.0/16. */
export type AddressRange = readonly [Address, number];

/**
 * The only part of IPv6 that is routed on the internet. What ipaddr.js calls unicast is whatever it has no other name for,
 * the IPv4-compatible `::/96` among it.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** An IPv4 address as a network that speaks IPv6 alone is told it; the local prefix 64:ff9b:1::/48 is not looked into. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/** Public by its number, and yet each virtual machine of Azure reaches its own host there. */
const INSIDE_A_CLOUD = ['168.63.129.16'];

/** @throws Error where the text is no range in CIDR notation; a single address is a range of one */
export function parseRange(text: string): AddressRange {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  }
  const address = parseStrictly(text);
  if (!address) throw new Error('must be addresses or ranges such as 10.20.0.0/16, separated by commas');
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * Whether the internet at large may be meant: unicast, and in no range that is private, of this machine, of this link,
 * shared, for documentation or tests, or a way to tunnel one of those.
 * @param text as a resolver answers: an address in its usual spelling. Anything else is not public.
 */
export function isPublic(text: string): boolean {
  const address = parseStrictly(text);
  if (!address) return false;
  if (address.kind() === 'ipv4') return isPublicIPv4(address);
  const v6 = address as ipaddr.IPv6;
  if (v6.zoneId !== undefined && v6.zoneId !== null) return false;
  const inside = embeddedIPv4(v6);
  if (inside) return isPublicIPv4(inside);
  return v6.range() === 'unicast' && v6.match(GLOBAL_UNICAST);
}

/** Whether an address lies in one of the ranges; a mapped one is the IPv4 address that a connection to it reaches. */
export function isIn(ranges: readonly AddressRange[], text: string): boolean {
  const parsed = parseStrictly(text);
  if (!parsed) return false;
  const address =
    parsed.kind() === 'ipv6' && (parsed as ipaddr.IPv6).isIPv4MappedAddress()
      ? (parsed as ipaddr.IPv6).toIPv4Address()
      : parsed;
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function isPublicIPv4(address: Address): boolean {
  return address.range() === 'unicast' && !INSIDE_A_CLOUD.includes(address.toString());
}

/** The IPv4 address that a packet to this one arrives at, where there is one that is meant to be reached like that. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.match(NAT64)) return new ipaddr.IPv4(address.toByteArray().slice(12));
  return undefined;
}

/** Octal, hexadecimal and short spellings mean different addresses to different programs: none is taken. */
function parseStrictly(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // The library takes ::1.2.3.4 for ::ffff:1.2.3.4, which is another address.
  if (/^::\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined;
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}
