import type { IncomingMessage } from 'node:http';
import { addressBlock, clientAddress } from './client-address';

function from(ip: string | undefined, remoteAddress: string | undefined): string {
  return clientAddress({ ip, socket: { remoteAddress } } as unknown as IncomingMessage);
}

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:5120', '203.0.113.7'],
  ['[2001:db8::1]:5120', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
])('%s is the client %s', (ip, address) => {
  expect(from(ip, '10.0.0.1')).toBe(address);
});

it('what is no address is not taken from a header; then it is that of the connection', () => {
  expect(from('unknown', '::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(from(undefined, '10.0.0.1')).toBe('10.0.0.1');
  expect(from(undefined, undefined)).toBe('unknown');
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s is counted as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
