import { isIn, isPublic, parseRange } from './addresses';

describe('an address that is not the internet’s is not public', () => {
  it.each([
    ['this network', ['0.0.0.0', '0.255.255.255']],
    [
      'private',
      ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ],
    ['shared by a provider (CGNAT)', ['100.64.0.0', '100.127.255.255', '100.100.100.200']],
    ['loopback', ['127.0.0.1', '127.255.255.255']],
    ['link-local and metadata', ['169.254.0.0', '169.254.169.254', '169.254.255.255']],
    ['protocol assignments', ['192.0.0.0', '192.0.0.192', '192.0.0.255']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.255']],
    ['6to4 relays', ['192.88.99.1']],
    ['benchmarks', ['198.18.0.0', '198.19.255.255']],
    ['multicast', ['224.0.0.1', '239.255.255.255']],
    ['reserved and broadcast', ['240.0.0.0', '255.255.255.254', '255.255.255.255']],
    ['the host of an Azure machine', ['168.63.129.16']],
    ['IPv6 unspecified and loopback', ['::', '::1', '0:0:0:0:0:0:0:1']],
    ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254']],
    ['IPv4-compatible', ['::127.0.0.1', '::7f00:1', '::8.8.8.8']],
    ['IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']],
    ['NAT64 of what is not public', ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1']],
    ['NAT64 of local use', ['64:ff9b:1::1', '64:ff9b:1:2:3:4:8.8.8.8']],
    ['6to4', ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1']],
    ['Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    ['unique local and metadata', ['fc00::1', 'fd00:ec2::254', 'fdff::1']],
    ['IPv6 link-local', ['fe80::1', 'fe80::1%eth0', 'febf::1']],
    ['site-local', ['fec0::1', 'feff::1']],
    ['IPv6 multicast', ['ff00::1', 'ff02::1', 'ff0e::1']],
    ['IPv6 documentation', ['2001:db8::1', '3fff::1']],
    ['IPv6 benchmarks and ORCHID', ['2001:2::1', '2001:10::1', '2001:20::1']],
    ['discard only', ['100::1']],
    ['not routed', ['4000::1', '5f00::1', '8000::1', 'e000::1']],
    ['a zone', ['2606:4700::1%eth0']],
    [
      'not an address in its usual spelling',
      [
        '2130706433',
        '0177.0.0.1',
        '0x7f.0.0.1',
        '127.1',
        '8.8.8',
        '8.8.8.8.',
        '',
        'localhost',
        '８.8.8.8',
        '[::1]',
      ],
    ],
  ])('%s', (_what, addresses) => {
    expect(addresses.filter(isPublic)).toEqual([]);
  });
});

it('addresses of the internet are public, also as a network that speaks IPv6 alone is told them', () => {
  const addresses = [
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
    ...['2606:4700:4700::1111', '2001:4860:4860::8888', '2400:cb00::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
  ];
  expect(addresses.filter((address) => !isPublic(address))).toEqual([]);
});

it('a range that an operator allows holds its addresses, mapped ones as well, and no others', () => {
  const ranges = ['10.20.0.0/16', '127.0.0.1', 'fd12::/16'].map(parseRange);
  const inside = ['10.20.0.1', '10.20.255.255', '127.0.0.1', '::ffff:127.0.0.1', 'fd12::5'];
  const outside = [
    '10.21.0.1',
    '127.0.0.2',
    '::1',
    'fd13::5',
    '::ffff:10.21.0.1',
    '64:ff9b::10.20.0.1',
    'nonsense',
  ];
  expect(inside.filter((address) => !isIn(ranges, address))).toEqual([]);
  expect(outside.filter((address) => isIn(ranges, address))).toEqual([]);
});

it.each(['10.0.0.0/33', '10.0.0', 'localhost', '::1/200', '10.0.0.0/', '0x7f.0.0.1'])(
  'does not take %j for a range',
  (text) => {
    expect(() => parseRange(text)).toThrow('must be addresses or ranges');
  },
);
