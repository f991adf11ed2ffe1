import { transportSecurity } from '../http/security-headers';
import type { BuildFile } from './build';

/** Nothing inline, nothing from elsewhere, in nobody's frame. Recordings are played from blobs in test mode. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const UNUSED_FEATURES = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];
const A_YEAR_SECONDS = 31_536_000;

/** @param publicUrl over https, browsers are told never to come without it again */
export function pageHeaders(publicUrl: string): Record<string, string> {
  return {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    // Addresses of jobs are nobody else's business.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...transportSecurity(publicUrl),
  };
}

/** What is hashed is kept for ever; the rest is asked for again each time, and then rarely sent. */
export function cacheControl({ hashed }: BuildFile): string {
  return hashed ? `public, max-age=${A_YEAR_SECONDS}, immutable` : 'no-cache';
}
