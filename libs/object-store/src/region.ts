import type { IncomingMessage } from 'node:http';
import type { Connection } from './connection';
import { StoreUnavailable, WrongRegion } from './errors';

/**
 * Asks the store where the bucket is, so that recordings cannot end up in another country through a slip in the
 * settings.
 * @returns `statedByStore` false when the store knows no regions (single-site stores answer with an empty name); then
 *   the configured region is all there is to go by
 * @throws WrongRegion when the bucket is elsewhere than configured; StoreUnavailable
 */
export async function verifyRegion(
  connection: Connection,
): Promise<{ region: string; statedByStore: boolean }> {
  const { region } = connection.settings;
  const stated = (await regionFromHeader(connection)) ?? (await regionFromLocation(connection));
  if (stated === undefined) return { region, statedByStore: false };
  if (stated !== region)
    throw new WrongRegion(
      `The bucket is in ${stated}, but ${region} is configured. Recordings stay in the region that S3_REGION names: ` +
        'correct S3_REGION, or set S3_BUCKET and S3_ENDPOINT to a bucket there.',
    );
  return { region, statedByStore: true };
}

/** Refuses a configured region that is not among the required ones. Needs no store. @throws WrongRegion */
export function requireRegion(region: string, requiredRegions: readonly string[] | undefined): void {
  if (!requiredRegions || requiredRegions.includes(region)) return;
  throw new WrongRegion(`The region ${region || '(none)'} is not one of ${requiredRegions.join(', ')}`);
}

/** Amazon names the region in a header of every answer about a bucket, also when it refuses the request. */
async function regionFromHeader(connection: Connection): Promise<string | undefined> {
  let stated: string | undefined;
  const observe = (response: IncomingMessage) => {
    const header = response.headers['x-amz-bucket-region'];
    if (typeof header === 'string' && header) stated = header;
  };
  const options = { timeoutMs: 10_000, attempts: 3 };
  try {
    const exists = await connection.call(
      options,
      () => connection.client.bucketExists(connection.bucket),
      observe,
    );
    if (!exists && stated === undefined) throw new StoreUnavailable('the bucket does not exist', false);
  } catch (error) {
    if (stated === undefined) throw error;
  }
  return stated;
}

/** The older question, whose empty answer means the first region at Amazon and "no regions here" elsewhere. */
async function regionFromLocation(connection: Connection): Promise<string | undefined> {
  const { client, bucket, settings } = connection;
  const text = await connection.call({ timeoutMs: 10_000, attempts: 3 }, async () => {
    const options = { method: 'GET', bucketName: bucket, query: 'location' };
    const response = await client.makeRequestAsync(options, '', [200], settings.region);
    let body = '';
    for await (const chunk of response) body += String(chunk);
    return body;
  });
  const named = /<LocationConstraint[^>]*>([^<]*)<\/LocationConstraint>/.exec(text)?.[1]?.trim();
  if (named) return named === 'EU' ? 'eu-west-1' : named;
  return new URL(settings.endpoint).hostname.endsWith('.amazonaws.com') ? 'us-east-1' : undefined;
}
