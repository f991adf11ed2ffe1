import type { KeyMode } from '@currawong/contracts';
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY_FORM = new RegExp(`^sk_(live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** `sk_live_` or `sk_test_`, 32 random characters (190 bits), and 6 that let a mistyped key be refused unasked. */
export function generateApiKey(mode: KeyMode): string {
  let random = '';
  for (let index = 0; index < RANDOM_LENGTH; index++) random += ALPHABET[randomInt(ALPHABET.length)];
  const body = `sk_${mode}_${random}`;
  return body + checksum(body);
}

/** Whether this can be one of our keys at all; says nothing of whether it exists. */
export function isWellFormed(key: string): boolean {
  return KEY_FORM.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

/** What is stored of a key. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** What of a key may be shown again. */
export function describeApiKey(key: string): { prefix: string; last_four: string } {
  return { prefix: key.slice(0, 'sk_live_'.length + 4), last_four: key.slice(-4) };
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = ALPHABET[rest % ALPHABET.length]! + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
