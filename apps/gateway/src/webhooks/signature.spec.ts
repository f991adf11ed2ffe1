import { Webhook } from 'standardwebhooks';
import { newSecret, signedHeaders } from './signature';

const ID = '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55';
const BODY = JSON.stringify({ type: 'job.completed', data: { note: 'ünïcode ✓' } });

it('a receiver that uses the library of the standard takes what was signed', () => {
  const secret = newSecret();
  expect(new Webhook(secret).verify(BODY, signedHeaders(ID, BODY, [secret], new Date()))).toEqual(
    JSON.parse(BODY),
  );
});

it('while a secret is replaced, receivers that know either take it, and no others', () => {
  const [old, current, other] = [newSecret(), newSecret(), newSecret()];
  const headers = signedHeaders(ID, BODY, [current, old], new Date());
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of [old, current]) expect(new Webhook(secret).verify(BODY, headers)).toBeTruthy();
  expect(() => new Webhook(other).verify(BODY, headers)).toThrow('No matching signature found');
});

it('another body, another id or an old time is not taken', () => {
  const secret = newSecret();
  const headers = signedHeaders(ID, BODY, [secret], new Date());
  expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow();
  expect(() => new Webhook(secret).verify(BODY, { ...headers, 'webhook-id': 'other' })).toThrow();
  const old = signedHeaders(ID, BODY, [secret], new Date(Date.now() - 600_000));
  expect(() => new Webhook(secret).verify(BODY, old)).toThrow('Message timestamp too old');
});

it('secrets differ, and have the bytes that the standard asks for', () => {
  expect(newSecret()).not.toBe(newSecret());
  const bytes = Buffer.from(newSecret().slice('whsec_'.length), 'base64').length;
  expect([bytes >= 24, bytes <= 64]).toEqual([true, true]);
});
