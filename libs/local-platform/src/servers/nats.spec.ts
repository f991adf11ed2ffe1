import { isNatsNewEnough, natsConfig } from './nats';

it.each([
  ['nats-server: v2.9.10', false],
  ['nats-server: v2.11.16', false],
  ['nats-server: v2.12.0', true],
  ['nats-server: v2.15.1', true],
  ['nats-server: v3.0.0', true],
  ['command not found', false],
])('%s is new enough: %s', (line, expected) => {
  expect(isNatsNewEnough(line)).toBe(expected);
});

it('the store is synced at every write, and a path with spaces and quotes is one value', () => {
  const config = natsConfig({ port: 4222, storeFolder: '/my "own" files/nats', user: 'u', password: 'p' });
  expect(config).toContain('sync_interval: always');
  expect(config).toContain(String.raw`store_dir: "/my \"own\" files/nats"`);
  expect(config).toContain('listen: "127.0.0.1:4222"');
});
