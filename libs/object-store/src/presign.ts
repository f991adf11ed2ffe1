import { createHash, createHmac } from 'node:crypto';

export interface SigningKeys {
  accessKey: string;
  secretKey: string;
  sessionToken?: string | undefined;
}

export interface PresignRequest {
  method: 'PUT' | 'GET';
  /** Origin and path, percent-encoded, without a query. */
  url: URL;
  query: Readonly<Record<string, string>>;
  /** What the caller of the address must send exactly so, by lower-case name. */
  headers?: Readonly<Record<string, string>>;
  region: string;
  /** At most a week. */
  expiresSeconds: number;
  at: Date;
}

/**
 * An address that is signed for one request (AWS Signature Version 4 in the query). The minio client signs no header but
 * the host, and so could not hold a client to the number of bytes that it announced.
 */
export function presign(keys: SigningKeys, request: PresignRequest): string {
  const { method, url, region, at } = request;
  const stamp = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = { ...request.headers, host: url.host };
  const signed = Object.keys(headers).sort();
  const query = Object.entries({
    ...request.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${keys.accessKey}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(request.expiresSeconds),
    'X-Amz-SignedHeaders': signed.join(';'),
    ...(keys.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': keys.sessionToken }),
  })
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const canonical = [
    ...[method, url.pathname, query],
    ...signed.map((name) => `${name}:${headers[name]!.trim()}`),
    ...['', signed.join(';'), 'UNSIGNED-PAYLOAD'],
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [stamp.slice(0, 8), region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${keys.secretKey}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signature}`;
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** As RFC 3986 has it, which leaves fewer characters alone than `encodeURIComponent` does. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
