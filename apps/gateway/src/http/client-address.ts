import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The client's address: IPv4 in its own form also where it came over IPv6. Behind proxies it is what the outermost
 * trusted one saw; Express knows how many there are (`trust proxy`, from TRUSTED_PROXY_HOPS).
 */
export function clientAddress(request: IncomingMessage): string {
  const { ip } = request as IncomingMessage & { ip?: string };
  return plainAddress(ip) ?? plainAddress(request.socket.remoteAddress) ?? 'unknown';
}

/** What one client can be assumed to hold: an IPv4 address, or the 64 bits of network of an IPv6 address. */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Some proxies write the port as well. @returns undefined for what is no address */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const address = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, '$1');
  return isIP(address) === 0 ? undefined : address;
}
