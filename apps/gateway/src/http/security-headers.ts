/** Answers of the interface are data: nothing in them is ever run, framed, guessed at or shown by another site. */
const OF_DATA = {
  'Content-Security-Policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  // Addresses hold ids of jobs, which are nobody else's business.
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
const A_YEAR_SECONDS = 31_536_000;

/**
 * What every answer carries, refusals included; pages, which need more than data, set their own instead.
 * @param publicUrl over https, browsers are told never to come without it again
 */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return { ...OF_DATA, ...transportSecurity(publicUrl) };
}

export function transportSecurity(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${A_YEAR_SECONDS}` } : {};
}
