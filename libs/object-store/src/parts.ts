import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Connection } from './connection';
import { asStoreError, StoreUnavailable } from './errors';

/** One part of a multipart upload while its bytes arrive. */
export interface OpenPart {
  /** How many more bytes it takes. */
  roomBytes: number;
  /** Takes a piece no longer than the room; a promise means: wait for it before the next piece. */
  write(piece: Buffer): Promise<void> | undefined;
}

/** A part that is kept in memory until it is sent, because its length is not known before its end. */
export class BufferedPart implements OpenPart {
  private filledBytes = 0;
  constructor(
    private readonly capacityBytes: number,
    private memory: Buffer = Buffer.allocUnsafeSlow(Math.min(256 * 1024, capacityBytes)),
  ) {}

  get roomBytes(): number {
    return this.capacityBytes - this.filledBytes;
  }

  get bytes(): Buffer {
    return this.memory.subarray(0, this.filledBytes);
  }

  /** The memory to build the next part in, once this one is sent. */
  get spareMemory(): Buffer {
    return this.memory;
  }

  write(piece: Buffer): undefined {
    const needed = this.filledBytes + piece.length;
    if (needed > this.memory.length) {
      // Most recordings are far shorter than a part, so the memory grows with what arrives.
      const grown = Buffer.allocUnsafeSlow(
        Math.min(this.capacityBytes, Math.max(needed, this.memory.length * 2)),
      );
      this.bytes.copy(grown);
      this.memory = grown;
    }
    piece.copy(this.memory, this.filledBytes);
    this.filledBytes = needed;
    return undefined;
  }
}

export interface StreamedPartTarget {
  key: string;
  uploadId: string;
  partNumber: number;
  sizeBytes: number;
  signal: AbortSignal;
  idleTimeoutMs: number;
}

/**
 * A part of known length whose bytes go to the store as they arrive and are kept nowhere.
 * minio's `uploadPart` takes whole Buffers only; it signs the address, and the request is an ordinary HTTP PUT.
 */
export class StreamedPart implements OpenPart {
  /** The part's ETag, once the store has confirmed it. */
  readonly finished: Promise<string>;
  readonly partNumber: number;
  roomBytes: number;
  private watch: NodeJS.Timeout | undefined;

  static async open(connection: Connection, target: StreamedPartTarget): Promise<StreamedPart> {
    const { key, uploadId, partNumber, sizeBytes, signal } = target;
    const query = { uploadId, partNumber: String(partNumber) };
    const url = await connection.client.presignedUrl('PUT', connection.bucket, key, 3600, query);
    signal.throwIfAborted();
    const headers = { 'content-length': sizeBytes };
    return new StreamedPart(connection.rawRequest(url, { method: 'PUT', headers, signal }), target);
  }

  private constructor(
    private readonly request: ClientRequest,
    private readonly target: StreamedPartTarget,
  ) {
    this.partNumber = target.partNumber;
    this.roomBytes = target.sizeBytes;
    this.finished = new Promise<string>((resolve, reject) => {
      let answered = false;
      request.on('response', (response) => {
        answered = true;
        readAnswer(response).then(resolve, reject);
      });
      request.on('error', reject);
      request.on('close', () => {
        if (!answered) reject(new StoreUnavailable('it closed the connection'));
      });
    });
    const unwatch = () => clearTimeout(this.watch);
    this.finished.then(unwatch, unwatch);
  }

  write(piece: Buffer): Promise<void> | undefined {
    this.roomBytes -= piece.length;
    const accepted = this.request.write(piece);
    if (this.roomBytes === 0) {
      this.request.end();
      this.expectProgress();
      return undefined;
    }
    return accepted ? undefined : this.drained();
  }

  /** As `finished`, with the errors of this library. */
  async confirmed(): Promise<string> {
    try {
      return await this.finished;
    } catch (error) {
      throw this.target.signal.aborted ? this.target.signal.reason : asStoreError(error, this.target.key);
    }
  }

  private drained(): Promise<void> {
    this.expectProgress();
    return new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(this.watch);
        this.request.off('drain', settle).off('close', settle);
        resolve();
      };
      // Who closes the request has also failed `finished`, which ends the whole upload.
      this.request.on('drain', settle).on('close', settle);
      if (this.request.destroyed) settle();
    });
  }

  /** The store has bytes to take or an answer to give. A slow source must not count against it, so no socket timeout. */
  private expectProgress(): void {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      this.request.destroy(new StoreUnavailable('it stopped taking data'));
    }, this.target.idleTimeoutMs);
  }
}

/** The ETag that confirms a part, or the store's refusal as an error. */
async function readAnswer(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) if (text.length < 8192) text += String(chunk);
  const status = response.statusCode ?? 0;
  const etag = response.headers.etag?.replace(/^"|"$/g, '');
  if (status === 200 && etag) return etag;
  const code = /<Code>([A-Za-z]+)<\/Code>/.exec(text)?.[1] ?? `status ${status}`;
  throw new StoreUnavailable(code, status >= 500 || status === 429 || status === 200);
}
