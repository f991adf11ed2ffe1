import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret as its account copies it: whsec_ and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of standardwebhooks.com for one attempt.
 * @param secrets as accounts copy them; one signature for each, so that a receiver may still know the old one
 */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
}
