import { hostOf, parseTarget } from './target';

const problemOf = (text: string) => {
  const target = parseTarget(text);
  return target.ok ? undefined : target.problem;
};

it.each([
  ['ftp://example.com/', 'must start with https://'],
  ['file:///etc/passwd', 'must start with https://'],
  ['javascript:alert(1)', 'must start with https://'],
  ['example.com/hook', 'must be an address'],
  ['', 'must be an address'],
  ['https://', 'must be an address'],
  ['https://user@example.com/', 'must not contain a user name'],
  ['https://:password@example.com/', 'must not contain a user name'],
  ['https://example.com\\@127.0.0.1/', 'must not contain spaces'],
  ['https://exam\tple.com/', 'must not contain spaces'],
  [' https://example.com/', 'must not contain spaces'],
  ['https://example.com/\r\nX-Injected: 1', 'must not contain spaces'],
  ['https://example.com/#fragment', 'must not contain a fragment'],
  ['https://example.com:22/', 'must use port 443'],
  ['https://example.com:25/', 'must use port 443'],
  ['https://example.com:80/', 'must use port 443'],
  ['https://example.com:6667/', 'must use port 443'],
  ['https://example.com:0/', 'must use port 443'],
  ['https://example.com:65536/', 'must be an address'],
  [`https://example.com/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ['https://256.256.256.256/', 'must be an address'],
])('%j is refused as text', (text, problem) => {
  expect(problemOf(text)).toContain(problem);
});

it.each([
  ['https://2130706433/', '127.0.0.1'],
  ['https://0177.0.0.1/', '127.0.0.1'],
  ['https://0x7f000001/', '127.0.0.1'],
  ['https://0x7f.1/', '127.0.0.1'],
  ['https://127.1/', '127.0.0.1'],
  ['https://127.0.0.1./', '127.0.0.1'],
  ['https://１２７.0.0.1/', '127.0.0.1'],
  ['https://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['https://127。0。0。1/', '127.0.0.1'],
  ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['https://[0:0:0:0:0:0:0:1]/', '::1'],
  ['https://LOCALHOST./', 'localhost'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://%6c%6f%63alhost/', 'localhost'],
  ['https://example.com:8443/hook?token=1', 'example.com'],
])('%s is judged as %s', (text, host) => {
  const target = parseTarget(text);
  expect(target.ok && hostOf(target.url)).toBe(host);
});
