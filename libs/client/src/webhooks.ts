import type { WebhookEvent } from './api-types';
import { CurrawongError } from './errors';

/** What came is not from the service, or is too old: answer it with 400 and do nothing else. */
export class WebhookVerificationError extends CurrawongError {
  override readonly name = 'WebhookVerificationError';
}

export interface VerifyOptions {
  /** How far the sender's clock may be from ours; 300 seconds unless set. */
  toleranceSeconds?: number;
  now?: Date;
}

export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

/**
 * Checks a webhook as Standard Webhooks 1.0 has it, and gives its content.
 * @param body as it came: parsed and written again it would have another signature
 * @param secret `whsec_…`; several while one takes over from another
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<T = WebhookEvent>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<T> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time.');
  const ageSeconds = now.getTime() / 1000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds)
    throw new WebhookVerificationError(
      `The webhook was signed ${Math.round(Math.abs(ageSeconds))} s ${ageSeconds > 0 ? 'ago' : 'in the future'}: at most ${toleranceSeconds} s are allowed.`,
    );
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const one of typeof secret === 'string' ? [secret] : secret)
    if (await isSigned(signed, signatures, one)) return JSON.parse(text) as T;
  throw new WebhookVerificationError('No signature of the webhook fits the secret.');
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secret: string,
): Promise<boolean> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('A webhook secret is whsec_ and base64 after it.');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  for (const signature of signatures.split(' ')) {
    const [version, encoded] = signature.split(',', 2);
    const given = version === 'v1' && encoded !== undefined ? bytesOf(encoded) : undefined;
    // In constant time, which a comparison of texts is not.
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) return true;
  }
  return false;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : (headers[name] ?? unlikeCase(headers, name));
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function unlikeCase(headers: Exclude<WebhookHeaders, Headers>, name: string) {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
