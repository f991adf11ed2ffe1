import { originOf } from './origin';

it.each([
  ['https://example.com/hook?token=1', 'https://example.com'],
  ['https://EXAMPLE.com:8443/hook', 'https://example.com:8443'],
  ['http://10.0.0.7:9000/', 'http://10.0.0.7:9000'],
])('of %s is %s', (url, origin) => {
  expect(originOf(url)).toBe(origin);
});

it.each([
  'https://example.com:25/hook',
  'https://user:password@example.com/hook',
  'https://example.com/#hook',
])('of %s, which would be refused today but was kept before, is still known', (url) => {
  expect(originOf(url)).toMatch(/^https:\/\/example\.com(:25)?$/);
});
