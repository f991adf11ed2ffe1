import type { MessagingConnection } from '@currawong/messaging';
import { GatewayEnvironment, type GatewayConfig } from '../../config';
import { generateApiKey } from './api-key';
import { KeyCache } from './key-cache';
import type { KeyUses } from './key-uses';
import type { KeyOwner, Keys } from './keys';

const key = generateApiKey('live');
const owner: KeyOwner = { keyId: 'a key', accountId: 'an account', mode: 'live', accountState: 'active' };
let lookUp: () => Promise<KeyOwner | undefined>;
let lookups: number;
let used: string[];
let reconnected: () => void;
let keys: KeyCache;

beforeEach(() => {
  lookups = 0;
  used = [];
  lookUp = () => Promise.resolve(owner);
  keys = new KeyCache(
    { KEY_CACHE_SECONDS: 60 } as GatewayConfig,
    { findOwner: () => (lookups++, lookUp()) } as unknown as Keys,
    { note: (keyId: string) => used.push(keyId) } as unknown as KeyUses,
    {
      isReady: () => true,
      onReconnect: (listener: () => void) => (reconnected = listener),
    } as unknown as MessagingConnection,
  );
});

it('a key is looked up once while nothing changes', async () => {
  expect(await keys.ownerOf(key)).toBe(owner);
  expect(await keys.ownerOf(key)).toBe(owner);
  expect(lookups).toBe(1);
});

it('each use of a key is noted, also where it is known from before; that of a key that is refused is not', async () => {
  await keys.ownerOf(key);
  await keys.ownerOf(key);
  expect(used).toEqual(['a key', 'a key']);
  lookUp = () => Promise.resolve(undefined);
  await keys.ownerOf(generateApiKey('live'));
  expect(used).toHaveLength(2);
});

it('a key revoked while the broker could not be reached is refused as soon as it can be again', async () => {
  await keys.ownerOf(key);
  lookUp = () => Promise.resolve(undefined);
  reconnected();
  expect(await keys.ownerOf(key)).toBeUndefined();
});

it('what was looked up before the connection was back is not remembered after it', async () => {
  let answer: (found: KeyOwner) => void = () => undefined;
  lookUp = () => new Promise((resolve) => (answer = resolve));
  const asking = keys.ownerOf(key);
  reconnected();
  answer(owner);
  await asking;
  lookUp = () => Promise.resolve(undefined);
  expect(await keys.ownerOf(key)).toBeUndefined();
});

it('unless configured otherwise a key is trusted for less than the second within which a revoked one is refused', () => {
  expect(GatewayEnvironment.shape.KEY_CACHE_SECONDS.parse(undefined)).toBeLessThan(1);
});
