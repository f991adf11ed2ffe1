import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection';
import { defaultIdleTimeoutMs } from './connection';
import { encryptionHeaders } from './encryption';
import { faultOf, ObjectStoreError, ObjectTooLarge, StoreUnavailable } from './errors';
import { BufferedPart, StreamedPart, type OpenPart } from './parts';
import { untilAborted } from './source';

export interface PutOptions {
  contentType: string;
  /** Ends the upload; `put` rejects with the signal's reason after it has cleaned up. */
  signal?: AbortSignal;
  /** More than this is refused with ObjectTooLarge. */
  maxBytes?: number;
  /** The whole upload, however well it goes. No limit unless given. */
  deadlineMs?: number;
  /** The store may take no longer to take the next bytes or to answer; 30 s unless given. A slow source may. */
  idleTimeoutMs?: number;
  /**
   * The caller's word that the source delivers at least so many bytes or fails. These are streamed through without
   * being kept, so that an upload costs no more memory than its sockets; all beyond is gathered in parts of 8 MiB.
   */
  atLeastBytes?: number;
}

export interface StoredObject {
  sizeBytes: number;
  /** As the store gave it, without quotes. */
  etag: string;
  /** Of the content, in hexadecimal. */
  sha256: string;
}

export const partBytes = 8 * 1024 * 1024;
/** S3 refuses smaller parts except for the last. */
const smallestPartBytes = 5 * 1024 * 1024;
const largestStreamedPartBytes = 64 * 1024 * 1024;
const stepTimeoutMs = 60_000;
const partTimeoutMs = 600_000;
const longestCleanupMs = 5_000;

/**
 * Streams `source` to `key`. What fails, in whatever way, leaves neither an object nor an unfinished upload: so the
 * key must be fresh, as anything that lay under it before may be gone as well.
 * @throws ObjectTooLarge, StoreUnavailable, the source's own error, or the reason of the signal
 */
export async function upload(
  connection: Connection,
  key: string,
  source: Readable | AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<StoredObject> {
  const { signal, maxBytes = Infinity, deadlineMs, atLeastBytes = 0 } = options;
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const deadline =
    deadlineMs === undefined
      ? undefined
      : setTimeout(() => ended.abort(new StoreUnavailable('the upload passed its deadline')), deadlineMs);
  const steps = new MultipartUpload(connection, key, options, ended);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of untilAborted(source, ended.signal)) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new ObjectTooLarge(maxBytes);
      hash.update(chunk);
      await steps.write(chunk);
    }
    if (sizeBytes < atLeastBytes)
      throw new ObjectStoreError('The source ended before the bytes it had promised');
    const etag = await steps.complete();
    return { sizeBytes, etag, sha256: hash.digest('hex') };
  } catch (error) {
    const cause: unknown = ended.signal.aborted ? ended.signal.reason : error;
    ended.abort(cause);
    await steps.abandon();
    throw cause;
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The S3 side of one upload. At most one part is being confirmed while the next one fills. */
class MultipartUpload {
  private uploadId: string | undefined;
  private initiating = false;
  private completing = false;
  private part: BufferedPart | StreamedPart | undefined;
  private partCount = 0;
  private readonly confirmed: { part: number; etag: string }[] = [];
  private sending: Promise<void> = Promise.resolve();
  private spareMemory: Buffer | undefined;
  private readonly streamedSizesBytes: number[];
  private readonly idleTimeoutMs: number;

  constructor(
    private readonly connection: Connection,
    private readonly key: string,
    private readonly options: PutOptions,
    private readonly ended: AbortController,
  ) {
    this.idleTimeoutMs = options.idleTimeoutMs ?? defaultIdleTimeoutMs;
    this.streamedSizesBytes = planStreamedParts(options.atLeastBytes ?? 0);
  }

  async write(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      // A full part is closed only when more follows: a source of exactly one part needs no multipart upload.
      if (this.part?.roomBytes === 0) await this.closePart(this.part);
      this.part ??= await this.openPart();
      const piece = rest.subarray(0, Math.min(rest.length, this.part.roomBytes));
      const written = (this.part as OpenPart).write(piece);
      if (written) await written;
      this.ended.signal.throwIfAborted();
      rest = rest.subarray(piece.length);
    }
  }

  /** Makes the object visible and returns its ETag. */
  async complete(): Promise<string> {
    if (this.uploadId === undefined) {
      const bytes = this.part instanceof BufferedPart ? this.part.bytes : Buffer.alloc(0);
      this.completing = true;
      return putWhole(this.connection, this.key, bytes, this.options, this.ended.signal);
    }
    const uploadId = this.uploadId;
    if (this.part) await this.closePart(this.part);
    await this.sending;
    this.ended.signal.throwIfAborted();
    this.completing = true;
    const parts = this.confirmed.sort((a, b) => a.part - b.part);
    const { etag } = await this.step(partTimeoutMs, (client, bucket) =>
      client.completeMultipartUpload(bucket, this.key, uploadId, parts),
    );
    return etag;
  }

  /** Removes every trace as far as the store lets us within a few seconds; the janitor does the rest. Never throws. */
  async abandon(): Promise<void> {
    await this.sending.catch(() => undefined);
    const { client, bucket } = this.connection;
    // A store that hangs shall not be waited for much longer than the upload was.
    const until = performance.now() + Math.min(longestCleanupMs, 4 * this.idleTimeoutMs);
    const insist = async (action: () => Promise<unknown>) => {
      for (let waitMs = 100; performance.now() < until; waitMs *= 2) {
        const timeoutMs = Math.max(1, until - performance.now());
        const failure = await this.connection.call({ timeoutMs }, action).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure === undefined || faultOf((failure as Error).cause).code === 'NoSuchUpload') return;
        await sleep(Math.min(waitMs, Math.max(0, until - performance.now())));
      }
    };
    if (this.uploadId !== undefined) {
      const uploadId = this.uploadId;
      await insist(() => client.abortMultipartUpload(bucket, this.key, uploadId));
    } else if (this.initiating) {
      // The request was broken off: perhaps the store opened the upload and we never learned its id.
      await insist(async () => {
        for (
          let id = await client.findUploadId(bucket, this.key);
          id;
          id = await client.findUploadId(bucket, this.key)
        )
          await client.abortMultipartUpload(bucket, this.key, id);
      });
    }
    if (this.completing) await insist(() => client.removeObject(bucket, this.key));
  }

  private async openPart(): Promise<BufferedPart | StreamedPart> {
    const sizeBytes = this.streamedSizesBytes.shift();
    if (sizeBytes === undefined) return new BufferedPart(partBytes, this.takeSpareMemory());
    const uploadId = await this.initiate();
    const { key, idleTimeoutMs } = this;
    const target = {
      key,
      uploadId,
      partNumber: ++this.partCount,
      sizeBytes,
      signal: this.ended.signal,
      idleTimeoutMs,
    };
    const part = await StreamedPart.open(this.connection, target);
    // A slow source must not keep a failure of the store from being noticed.
    part.confirmed().catch((error: unknown) => this.ended.abort(error));
    return part;
  }

  private async closePart(part: BufferedPart | StreamedPart): Promise<void> {
    this.part = undefined;
    const uploadId = await this.initiate();
    await this.sending;
    this.sending =
      part instanceof StreamedPart ? this.noteStreamed(part) : this.send(part, uploadId, ++this.partCount);
    this.sending.catch((error: unknown) => this.ended.abort(error));
  }

  private async noteStreamed(part: StreamedPart): Promise<void> {
    this.confirmed.push({ part: part.partNumber, etag: await part.confirmed() });
  }

  private async send(part: BufferedPart, uploadId: string, partNumber: number): Promise<void> {
    const target = {
      bucketName: this.connection.bucket,
      objectName: this.key,
      uploadID: uploadId,
      partNumber,
    };
    const { etag } = await this.step(partTimeoutMs, (client) =>
      client.uploadPart({ ...target, headers: {} }, part.bytes),
    );
    this.confirmed.push({ part: partNumber, etag });
    this.spareMemory = part.spareMemory;
  }

  private async initiate(): Promise<string> {
    if (this.uploadId !== undefined) return this.uploadId;
    this.initiating = true;
    const headers = {
      'Content-Type': this.options.contentType,
      ...encryptionHeaders(this.connection.settings.encryption),
    };
    this.uploadId = await this.step(stepTimeoutMs, (client, bucket) =>
      client.initiateNewMultipartUpload(bucket, this.key, headers),
    );
    return this.uploadId;
  }

  private step<T>(
    timeoutMs: number,
    action: (client: Connection['client'], bucket: string) => Promise<T>,
  ): Promise<T> {
    const { connection, key, idleTimeoutMs } = this;
    const options = { signal: this.ended.signal, timeoutMs, idleTimeoutMs, key };
    return connection.call(options, () => action(connection.client, connection.bucket));
  }

  /** Of the part before, when it has been sent; nothing for the first, whose memory grows with what arrives. */
  private takeSpareMemory(): Buffer | undefined {
    const memory = this.spareMemory;
    this.spareMemory = undefined;
    return memory;
  }
}

/** One plain PUT. @throws StoreUnavailable or the signal's reason */
export async function putWhole(
  connection: Connection,
  key: string,
  bytes: Buffer,
  options: Pick<PutOptions, 'contentType' | 'idleTimeoutMs'>,
  signal?: AbortSignal,
): Promise<string> {
  const { client, bucket } = connection;
  const headers = {
    'Content-Type': options.contentType,
    ...encryptionHeaders(connection.settings.encryption),
  };
  const call = { signal, timeoutMs: partTimeoutMs, idleTimeoutMs: options.idleTimeoutMs, key };
  const { etag } = await connection.call(call, () =>
    client.putObject(bucket, key, bytes, bytes.length, headers),
  );
  return etag;
}

/** Sizes of the parts that the promised bytes fill: none too small, none too large, nothing left over. */
export function planStreamedParts(atLeastBytes: number): number[] {
  if (atLeastBytes < smallestPartBytes) return [];
  const count = Math.ceil(atLeastBytes / largestStreamedPartBytes);
  const sizeBytes = Math.floor(atLeastBytes / count);
  const sizes = new Array<number>(count).fill(sizeBytes);
  sizes[count - 1] = atLeastBytes - sizeBytes * (count - 1);
  return sizes;
}
