import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { RefusalException } from '../http/refusal.exception';

export const IDEMPOTENCY_KEY_RULE = '1 to 255 visible ASCII characters, without spaces';

/** The client's own name for its request, or undefined where it gave none. @throws RefusalException 400 */
export function idempotencyKeyOf({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string | undefined {
  const sent = headersDistinct['idempotency-key'];
  if (sent === undefined) return undefined;
  const [key = '', ...others] = sent;
  if (others.length > 0 || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw RefusalException.of('invalid_parameter', `Idempotency-Key: must be ${IDEMPOTENCY_KEY_RULE}, once`);
  return key;
}

/** What a request is about: one of these. */
export type Recording = { file: string; sha256: string } | { file_url: string } | { upload_id: string };

/**
 * The same for requests that ask for the same, whatever the order or the spelling of their fields. Fields that stand at
 * nothing count as not sent, so that a field that is new does not make another request of an old one.
 */
export function fingerprintOf(fields: Readonly<Record<string, unknown>>, recording: Recording): string {
  const said = Object.entries({ ...fields, ...recording })
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}
