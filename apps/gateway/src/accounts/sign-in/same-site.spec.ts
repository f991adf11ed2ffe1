import type { IncomingHttpHeaders } from 'node:http';
import { isSameSite } from './same-site.guard';

const OWN = 'https://speech.example';

it.each<[string, IncomingHttpHeaders, boolean]>([
  ['a program that is no browser', { host: 'speech.example' }, true],
  ['our page', { 'sec-fetch-site': 'same-origin', origin: OWN }, true],
  ['an address typed by a person', { 'sec-fetch-site': 'none' }, true],
  ['our page, behind a proxy that changes the host', { origin: OWN, host: 'gateway:8080' }, true],
  [
    'our page by another name of this host',
    { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' },
    true,
  ],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['another site, in an old browser', { origin: 'https://evil.example', host: 'speech.example' }, false],
  ['a sibling of ours', { 'sec-fetch-site': 'same-site', origin: 'https://blog.speech.example' }, false],
  ['a page without an origin', { origin: 'null', host: 'speech.example' }, false],
  ['a site that claims our origin', { 'sec-fetch-site': 'cross-site', origin: OWN }, false],
])('%s', (_, headers, expected) => {
  expect(isSameSite({ headers }, OWN)).toBe(expected);
});
