import { PassThrough, type Readable } from 'node:stream';
import { beginParts, completeParts, presignPart, type ClientPart } from './client-upload';
import { Connection, type CallOptions, type ObjectStoreSettings } from './connection';
import { asStoreError, ObjectNotFound, ObjectTooLarge, StoreUnavailable } from './errors';
import { abortStaleUploads } from './janitor';
import { requireRegion, verifyRegion } from './region';
import { deleteVersions, listVersions } from './versions';
import { putWhole, upload, type PutOptions, type StoredObject } from './upload';

/** Bytes from `start` up to, not including, `end`; to the object's end when `end` is left out. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface ObjectInfo {
  key: string;
  sizeBytes: number;
  etag: string;
  modifiedAt: Date;
}

const largestInMemoryBytes = 64 * 1024 * 1024;
const readCall = { timeoutMs: 20_000, attempts: 3 };

/** One version of an object; a bucket that keeps no versions has one of each. */
export interface ObjectVersion {
  key: string;
  /** Undefined where the store does not tell versions apart. */
  versionId?: string;
  sizeBytes: number;
  /** Only the note that an object was deleted. */
  isDeleteMarker: boolean;
}

/** Creates the store's client. Opens no connection yet. @throws WrongRegion when the region is not a required one */
export function createObjectStore(settings: ObjectStoreSettings): ObjectStore {
  requireRegion(settings.region, settings.requiredRegions);
  return new ObjectStore(new Connection(settings));
}

/**
 * One bucket. Every method settles: a store that is down, hangs or dies in the middle becomes StoreUnavailable.
 * Reads are tried three times; writes once, because the caller knows whether they may be repeated.
 */
export class ObjectStore {
  constructor(private readonly connection: Connection) {}

  /** Streams a source of any length to a fresh key; see `PutOptions`. Leaves nothing behind when it fails. */
  put(key: string, source: Readable | AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    return upload(this.connection, key, source, options);
  }

  /** Stores what is in memory, in one request: afterwards the key holds either this or what it held before. */
  async putBuffer(
    key: string,
    bytes: Buffer,
    options: { contentType: string; signal?: AbortSignal },
  ): Promise<{ etag: string }> {
    return { etag: await putWhole(this.connection, key, bytes, options, options.signal) };
  }

  /**
   * Reads an object, or a range of it, as it arrives. The stream fails with StoreUnavailable when the store breaks off.
   * @throws ObjectNotFound, RangeOutsideObject, StoreUnavailable
   */
  get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable> {
    return this.open(key, range, { ...readCall, signal });
  }

  /**
   * Reads an object, or a range of it, whole. At most `maxBytes`: unless given, the length of the range, or 64 MiB.
   * @throws ObjectTooLarge as soon as more arrive; ObjectNotFound, RangeOutsideObject, StoreUnavailable
   */
  getBuffer(
    key: string,
    range?: ByteRange,
    maxBytes = range?.end === undefined ? largestInMemoryBytes : range.end - range.start,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    // The body may break off after the headers, so the repeats wrap the whole read and not only its beginning.
    const options = { ...readCall, timeoutMs: 120_000, signal, key };
    return this.connection.call(options, async (ended) => {
      const body = await this.open(key, range, { timeoutMs: readCall.timeoutMs, signal: ended });
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new ObjectTooLarge(maxBytes);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, sizeBytes);
    });
  }

  /** @throws ObjectNotFound, StoreUnavailable */
  async stat(key: string): Promise<ObjectInfo & { contentType: string }> {
    const { client, bucket } = this.connection;
    const found = await this.connection.call({ ...readCall, key }, () => client.statObject(bucket, key));
    const contentType = String(found.metaData['content-type'] ?? 'application/octet-stream');
    return { key, sizeBytes: found.size, etag: found.etag, modifiedAt: found.lastModified, contentType };
  }

  /** Deletes the object; one that is not there is fine. @throws StoreUnavailable */
  async delete(key: string): Promise<void> {
    const { client, bucket } = this.connection;
    try {
      await this.connection.call({ ...readCall, key }, () => client.removeObject(bucket, key));
    } catch (error) {
      if (!(error instanceof ObjectNotFound)) throw error;
    }
  }

  /**
   * Deletes every object whose key begins with `prefix`, which must not be empty, with its earlier versions where the bucket
   * keeps them. @returns how many objects and versions. @throws StoreUnavailable
   */
  async deletePrefix(prefix: string): Promise<number> {
    if (prefix === '') throw new RangeError('An empty prefix would delete the whole bucket');
    const versions = await this.listVersions(prefix);
    await this.deleteVersions(versions);
    return versions.length;
  }

  /** Every object whose key begins with `prefix`, in order of key, a thousand to a request. @throws StoreUnavailable */
  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    const { client, bucket } = this.connection;
    let token = '';
    for (;;) {
      const page = await this.connection.call(readCall, () =>
        client.listObjectsV2Query(bucket, prefix, token, '', 1000, ''),
      );
      for (const item of page.objects) {
        if (item.name === undefined) continue;
        yield { key: item.name, sizeBytes: item.size, etag: item.etag, modifiedAt: item.lastModified };
      }
      if (!page.isTruncated) return;
      token = page.nextContinuationToken;
    }
  }

  /**
   * Every version of every object under a prefix, and the delete markers: what a deletion must name to leave nothing, also
   * in a bucket that keeps versions. Of a store that does not list versions, or does not let us, the objects.
   * @throws StoreUnavailable
   */
  listVersions(prefix: string): Promise<ObjectVersion[]> {
    return listVersions(this.connection, prefix, () => this.list(prefix));
  }

  /** Deletes these for good; what is not there is fine. @throws StoreUnavailable */
  deleteVersions(versions: readonly ObjectVersion[]): Promise<void> {
    return deleteVersions(this.connection, versions);
  }

  /**
   * An address from which anyone who has it can read the object for `expiresSeconds` (at most a week).
   * @param options.filename offered to a browser that saves it
   */
  presignGet(key: string, options: { expiresSeconds: number; filename?: string }): Promise<string> {
    const { client, bucket } = this.connection;
    const name = options.filename;
    const disposition =
      name === undefined ? undefined : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    const headers = disposition === undefined ? {} : { 'response-content-disposition': disposition };
    return this.connection.call({ timeoutMs: 5_000, key }, () =>
      client.presignedGetObject(bucket, key, options.expiresSeconds, headers),
    );
  }

  /** Begins an object that a client puts here itself, in parts; see `presignParts`. @returns the store's id of it. @throws StoreUnavailable */
  beginParts(key: string, contentType: string): Promise<string> {
    return beginParts(this.connection, key, contentType);
  }

  /**
   * Addresses to which the parts of such an object can be PUT, in the order of the parts, for `expiresSeconds`. The store
   * takes exactly the announced number of bytes at each. @throws StoreUnavailable
   */
  presignParts(
    key: string,
    uploadId: string,
    parts: readonly ClientPart[],
    expiresSeconds: number,
  ): Promise<string[]> {
    return Promise.all(
      parts.map((part) => presignPart(this.connection, key, uploadId, part, expiresSeconds)),
    );
  }

  /** See `completeParts` in client-upload.ts. @returns the parts that are missing. @throws ObjectNotFound, StoreUnavailable */
  completeParts(key: string, uploadId: string, parts: readonly ClientPart[]): Promise<ClientPart[]> {
    return completeParts(this.connection, key, uploadId, parts);
  }

  /** Cheap enough for a health check: one request, at most `timeoutMs`. @throws StoreUnavailable */
  async check(timeoutMs = 2_000): Promise<void> {
    const { client, bucket } = this.connection;
    const exists = await this.connection.call({ timeoutMs }, () => client.bucketExists(bucket));
    if (!exists) throw new StoreUnavailable('the bucket does not exist', false);
  }

  /** Makes the bucket in the configured region where it is missing. @returns whether it was made. @throws StoreUnavailable */
  ensureBucket(): Promise<boolean> {
    const { client, bucket, settings } = this.connection;
    return this.connection.call(readCall, async () => {
      if (await client.bucketExists(bucket)) return false;
      await client.makeBucket(bucket, settings.region);
      return true;
    });
  }

  /** See `verifyRegion` in region.ts. Services call it once before they take work. @throws WrongRegion, StoreUnavailable */
  verifyRegion(): Promise<{ region: string; statedByStore: boolean }> {
    return verifyRegion(this.connection);
  }

  /** Aborts multipart uploads begun longer ago than this, of all keys with the prefix. @returns how many. @throws StoreUnavailable */
  janitor(options: { olderThanSeconds: number; prefix?: string }): Promise<number> {
    return abortStaleUploads(this.connection, options.olderThanSeconds, options.prefix);
  }

  /** Closes the kept connections. Calls under way fail. */
  close(): void {
    this.connection.close();
  }

  private async open(key: string, range: ByteRange | undefined, options: CallOptions): Promise<Readable> {
    const { client, bucket } = this.connection;
    const { start = 0, end } = range ?? {};
    const lengthBytes = end === undefined ? 0 : end - start;
    if (end !== undefined && lengthBytes <= 0)
      throw new RangeError(`The range ${start}–${end} holds no byte`);
    let status = 0;
    const body = await this.connection.call(
      { ...options, key },
      () => client.getPartialObject(bucket, key, start, lengthBytes),
      (response) => (status = response.statusCode ?? 0),
    );
    if (status !== 206 && (start > 0 || lengthBytes > 0)) {
      body.destroy();
      throw new StoreUnavailable('it does not answer ranges', false);
    }
    return relay(body, key, options.signal);
  }
}

/** The body as a stream of our own, so that its errors are ours and an abort reaches the store's connection. */
function relay(body: Readable, key: string, signal: AbortSignal | undefined): Readable {
  const out = new PassThrough();
  const onAbort = () => out.destroy(signal?.reason instanceof Error ? signal.reason : new Error('Aborted'));
  signal?.addEventListener('abort', onAbort, { once: true });
  body.on('error', (error) => out.destroy(asStoreError(error, key)));
  out.on('close', () => {
    signal?.removeEventListener('abort', onAbort);
    body.destroy();
  });
  if (signal?.aborted) onAbort();
  return body.pipe(out);
}
