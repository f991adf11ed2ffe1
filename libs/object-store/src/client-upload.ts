import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection';
import { encryptionHeaders } from './encryption';
import { faultOf, ObjectNotFound } from './errors';
import { encoded, presign } from './presign';

/** The store answers a listing within this. */
const CALL = { timeoutMs: 20_000, attempts: 3 };
/** Before an object that another may be putting together is looked for again. */
const LOOK_AGAIN_AFTER_MS = [100, 300, 600];
const COMPLETE_MS = 120_000;

/** One part of an object that its owner puts into the store. */
export interface ClientPart {
  /** From 1. */
  number: number;
  sizeBytes: number;
}

/**
 * Begins an object that somebody else puts there in parts. Encryption is asked for here, so that whoever puts the parts need
 * not know of it. @returns the store's id of it. @throws StoreUnavailable
 */
export function beginParts(connection: Connection, key: string, contentType: string): Promise<string> {
  const headers = { 'Content-Type': contentType, ...encryptionHeaders(connection.settings.encryption) };
  return connection.call({ timeoutMs: CALL.timeoutMs, key }, () =>
    connection.client.initiateNewMultipartUpload(connection.bucket, key, headers),
  );
}

/** The address to which one part can be PUT, by anyone who has it, and as often as they like until the object is whole. */
export async function presignPart(
  connection: Connection,
  key: string,
  uploadId: string,
  part: ClientPart,
  expiresSeconds: number,
): Promise<string> {
  const { settings, bucket } = connection;
  const url = new URL(settings.publicEndpoint ?? settings.endpoint);
  const path = key.split('/').map(encoded).join('/');
  if (settings.pathStyle ?? true) {
    url.pathname = `/${bucket}/${path}`;
  } else {
    url.hostname = `${bucket}.${url.hostname}`;
    url.pathname = `/${path}`;
  }
  return presign(await connection.signingKeys(), {
    ...{ method: 'PUT', url, expiresSeconds, region: settings.region, at: new Date() },
    query: { uploadId, partNumber: String(part.number) },
    // Held by the store: more than was announced is refused before it is kept.
    headers: { 'content-length': String(part.sizeBytes) },
  });
}

/**
 * Makes the object of its parts, where all of them are there and have their sizes. Done already, by whoever else was asked
 * to at the same time, is as good.
 * @returns the parts that are missing, or have another size; the object is not made then
 * @throws ObjectNotFound where there is neither the upload nor the object; StoreUnavailable
 */
export async function completeParts(
  connection: Connection,
  key: string,
  uploadId: string,
  parts: readonly ClientPart[],
): Promise<ClientPart[]> {
  const { client, bucket } = connection;
  try {
    const stored = await connection.call({ ...CALL, key }, () =>
      // Not public in its type only.
      (client as unknown as PartLister).listParts(bucket, key, uploadId),
    );
    const byNumber = new Map(stored.map((part) => [part.part, part]));
    const missing = parts.filter(({ number, sizeBytes }) => byNumber.get(number)?.size !== sizeBytes);
    // While another completes it the store may list no parts any more: then the object is there, or will be in a moment.
    if (missing.length > 0) return (await existsSoon(connection, key)) ? [] : missing;
    const etags = parts.map(({ number }) => ({ part: number, etag: byNumber.get(number)!.etag }));
    await connection.call({ timeoutMs: COMPLETE_MS, idleTimeoutMs: COMPLETE_MS, key }, () =>
      client.completeMultipartUpload(bucket, key, uploadId, etags),
    );
    return [];
  } catch (error) {
    if (await exists(connection, key)) return [];
    throw isGone(error) ? new ObjectNotFound(key, { cause: error }) : error;
  }
}

async function existsSoon(connection: Connection, key: string): Promise<boolean> {
  for (const pauseMs of LOOK_AGAIN_AFTER_MS) {
    if (await exists(connection, key)) return true;
    await sleep(pauseMs);
  }
  return exists(connection, key);
}

/** The key is fresh: whatever lies there was put together from these parts. */
async function exists(connection: Connection, key: string): Promise<boolean> {
  try {
    await connection.call({ ...CALL, key }, () => connection.client.statObject(connection.bucket, key));
    return true;
  } catch (error) {
    if (error instanceof ObjectNotFound) return false;
    throw error;
  }
}

interface PartLister {
  listParts(
    bucket: string,
    key: string,
    uploadId: string,
  ): Promise<{ part: number; etag: string; size: number }[]>;
}

function isGone(error: unknown): boolean {
  return error instanceof ObjectNotFound || faultOf((error as Error).cause).code === 'NoSuchUpload';
}
