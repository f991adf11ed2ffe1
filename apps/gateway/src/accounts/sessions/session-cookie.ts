import { parseCookie, stringifySetCookie } from 'cookie';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { publicUrl, type GatewayConfig } from '../../config';

type Origin = Pick<GatewayConfig, 'PUBLIC_URL' | 'PORT'>;
const DAY_SECONDS = 86_400;

/** The session's token that the browser sent. */
export function sessionCookieOf(request: IncomingMessage, config: Origin): string | undefined {
  return readCookie(request, 'currawong_session', config);
}

/** @param days after which the browser forgets it; the server may end the session before */
export function setSessionCookie(
  response: ServerResponse,
  token: string,
  days: number,
  config: Origin,
): void {
  setCookie(response, 'currawong_session', token, days * DAY_SECONDS, config);
}

export function clearSessionCookie(response: ServerResponse, config: Origin): void {
  setCookie(response, 'currawong_session', '', 0, config);
}

/** @param name without the prefix that it has on https */
export function readCookie(request: IncomingMessage, name: string, config: Origin): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[fullName(name, config)];
}

/**
 * A cookie that scripts cannot read and that other sites' forms and images do not send. On https its name begins with
 * `__Host-`: then the browser itself sees to it that no other host, and nothing unencrypted, has set it.
 */
export function setCookie(
  response: ServerResponse,
  name: string,
  value: string,
  maxAgeSeconds: number,
  config: Origin,
): void {
  const cookie = stringifySetCookie({
    name: fullName(name, config),
    value,
    maxAge: maxAgeSeconds,
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure(config),
  });
  response.appendHeader('Set-Cookie', cookie);
}

function fullName(name: string, config: Origin): string {
  return isSecure(config) ? `__Host-${name}` : name;
}

function isSecure(config: Origin): boolean {
  return publicUrl(config).startsWith('https:');
}
