import { isIP } from 'node:net';

/** What is wrong with an address, as the end of a sentence that begins with the name of a field. */
export type Problem = string;

export const NOT_PUBLIC = 'must lead to a public address on the internet';
export const NOT_HTTPS = 'must start with https://';

/** Longer addresses are kept by nobody, and logs and headers have limits of their own. */
const LONGEST_URL = 2_048;

/**
 * Ports below 1024 belong to other protocols, which must not be sent our requests; so do those above it that browsers
 * refuse as well (fetch.spec.whatwg.org, "bad port").
 */
const FIRST_FREE_PORT = 1_024;
const PORTS_OF_OTHERS = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679],
  ...[6697, 10_080],
]);

/**
 * An address as text: whether it is one that we would ever call, before any name is looked up. Numbers that mean an
 * IPv4 address in some other spelling (2130706433, 0177.0.0.1, full-width digits) are that address from here on.
 */
export function parseTarget(text: string): { ok: true; url: URL } | { ok: false; problem: Problem } {
  const refused = (problem: Problem) => ({ ok: false as const, problem });
  if (text.length > LONGEST_URL) return refused(`must have at most ${LONGEST_URL} characters`);
  // The parser of URLs takes these away; whoever reads the text elsewhere sees another address.
  if (/[\s\p{Cc}\\]/u.test(text))
    return refused('must not contain spaces, control characters or backslashes');
  if (!URL.canParse(text)) return refused('must be an address such as https://example.com/hook');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused(NOT_HTTPS);
  if (url.username !== '' || url.password !== '')
    return refused('must not contain a user name or a password');
  if (url.hash !== '') return refused('must not contain a fragment (#)');
  if (!isUsablePort(url)) return refused('must use port 443 or one from 1024 to 65535');
  return { ok: true, url };
}

/** The name or the address in it, without the brackets of IPv6 and without the dot that ends a full name. */
export function hostOf(url: URL): string {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host.replace(/\.$/, '') : host;
}

function isUsablePort(url: URL): boolean {
  // The port of the scheme is the empty text.
  if (url.port === '') return true;
  const port = Number(url.port);
  return port >= FIRST_FREE_PORT && !PORTS_OF_OTHERS.has(port);
}
