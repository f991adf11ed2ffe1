import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { clearSessionCookie, sessionCookieOf, setSessionCookie } from './session-cookie';

const http = { PUBLIC_URL: undefined, PORT: 8080 };
const https = { PUBLIC_URL: 'https://speech.example', PORT: 8080 };

function response(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

function requestWith(cookie: string): IncomingMessage {
  return { headers: { cookie } } as IncomingMessage;
}

it('on https the cookie is one that the browser itself keeps to this host and to encrypted connections', () => {
  const answer = response();
  setSessionCookie(answer, 'token', 30, https);
  const cookie = String(answer.getHeader('Set-Cookie'));
  expect(cookie.split('; ').sort()).toEqual([
    'HttpOnly',
    'Max-Age=2592000',
    'Path=/',
    'SameSite=Lax',
    'Secure',
    '__Host-currawong_session=token',
  ]);
});

it('on https a cookie without the prefix, which another host may have set, does not count', () => {
  expect(sessionCookieOf(requestWith('currawong_session=planted'), https)).toBeUndefined();
  const both = requestWith('currawong_session=planted; __Host-currawong_session=ours');
  expect(sessionCookieOf(both, https)).toBe('ours');
});

it('on http, which only a machine of one’s own should use, it is not marked as secure: it would not come back', () => {
  const answer = response();
  setSessionCookie(answer, 'token', 1, http);
  const cookie = String(answer.getHeader('Set-Cookie'));
  expect(cookie).toMatch(/^currawong_session=token; /);
  expect(cookie).not.toMatch(/Secure/);
});

it('is cleared under the name that it was set with', () => {
  const answer = response();
  clearSessionCookie(answer, https);
  expect(answer.getHeader('Set-Cookie')).toMatch(/^__Host-currawong_session=; Max-Age=0;/);
});
