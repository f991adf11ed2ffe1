import { describeApiKey, generateApiKey, hashApiKey, isWellFormed } from './api-key';

describe('an API key', () => {
  it('says its mode and carries a checksum that catches any one wrong character', () => {
    const key = generateApiKey('test');
    expect(key).toMatch(/^sk_test_[0-9A-Za-z]{38}$/);
    expect(isWellFormed(key)).toBe(true);
    for (let index = 8; index < key.length; index++) {
      const wrong = key.slice(0, index) + (key[index] === 'a' ? 'b' : 'a') + key.slice(index + 1);
      expect(isWellFormed(wrong)).toBe(false);
    }
  });

  it('of one mode is not one of the other', () => {
    expect(isWellFormed(generateApiKey('test').replace('sk_test_', 'sk_live_'))).toBe(false);
  });

  it('is never the same twice and is stored as its SHA-256', () => {
    const keys = new Set(Array.from({ length: 1000 }, () => generateApiKey('live')));
    expect(keys.size).toBe(1000);
    expect(hashApiKey('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('shows no more than its first and last four characters again', () => {
    const key = generateApiKey('live');
    const { prefix, last_four } = describeApiKey(key);
    expect(prefix).toBe(key.slice(0, 12));
    expect(last_four).toBe(key.slice(-4));
  });
});
