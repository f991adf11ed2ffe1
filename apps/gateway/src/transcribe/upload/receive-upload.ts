import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { watchPace } from '../../http/client-pace';
import { discardRest } from '../../http/discard-rest';
import { uploadBytes } from '../metrics';
import { acceptedExtensions, contentTypes, hasAcceptedExtension, type AudioKind } from './audio-kind';
import { displayFilename } from './display-filename';
import { FileGate, tooLarge, unsupported } from './file-gate';
import { Refused, type UploadRefusal } from './refusal';

/** What is known of the file when its first bytes have been checked. */
export interface AcceptedFile {
  /** Safe to display, never a path. */
  filename: string;
  /** The usual media type of what the bytes are; what the client claimed is not used. */
  contentType: string;
  /** The stream delivers at least so many bytes or fails; 0 when the client did not announce a length. */
  atLeastBytes: number;
}

export interface ReceiveOptions<T> {
  maxFileBytes: number;
  /** The fields besides the file that are wanted. All others are ignored, however long. */
  fieldNames: readonly string[];
  /** Fields of which one may be sent in the place of a file. */
  insteadOfFile?: readonly string[];
  minBytesPerSecond: number;
  /** The time over which the rate is averaged; 10 s unless given. */
  paceWindowSeconds?: number;
  /**
   * Takes the file as it arrives. The stream ends only after the whole body was read and found good; otherwise it is
   * destroyed with an error, upon which `store` must leave nothing and reject.
   */
  store: (content: Readable, file: AcceptedFile) => Promise<T>;
}

export type ReceivedUpload<T> =
  | {
      ok: true;
      /**
       * The wanted fields that were sent, by name. Where a name repeats: all of them, with commas between, if it ends in `[]`,
       * else the last one.
       */
      fields: Record<string, string>;
      /** 0 where no file was sent. */
      sizeBytes: number;
      /** Undefined where one of `insteadOfFile` was sent, and no file. */
      stored: T | undefined;
    }
  | { ok: false; refusal: UploadRefusal };

/** Everything of a body but the file: fields, headers, boundaries, and what the parser has not passed on yet. */
const maxFormBytes = 512 * 1024;
const limits = { fieldSize: 64 * 1024, fields: 50, parts: 60, headerPairs: 20, headerSize: 8 * 1024 };

/**
 * Receives one `multipart/form-data` body with one file in the field `file`, its parts in any order, and streams the
 * file into `store` as it arrives. Settles only when `store` has: after a refusal nothing is under way any more.
 *
 * After a refusal the caller answers as usual, without `Connection: close`; see `discardRest`.
 * @throws what `store` failed with
 */
export async function receiveUpload<T>(
  request: IncomingMessage,
  options: ReceiveOptions<T>,
): Promise<ReceivedUpload<T>> {
  const reception = new Reception(request, options);
  try {
    return await reception.receive();
  } catch (error) {
    await reception.abandon(error);
    // Some clients read nothing before they have sent everything. Twice: a file a little over the limit whose length
    // was announced is refused before its first byte.
    discardRest(request, {
      maxBytes: 2 * options.maxFileBytes,
      minBytesPerSecond: options.minBytesPerSecond,
      windowMs: 10_000,
    });
    const cause = reception.firstFailure ?? error;
    if (cause instanceof Refused) return { ok: false, refusal: cause.refusal };
    throw cause;
  }
}

class Reception<T> {
  firstFailure: unknown;
  private parser: BusboyInstance | undefined;
  private readonly fields = new Map<string, string>();
  private gate: FileGate | undefined;
  private stored: Promise<T> | undefined;
  private bodyBytes = 0;
  private fail: (error: unknown) => void = (error) => (this.firstFailure ??= error);
  private readonly announcedBytes: number;

  constructor(
    private readonly request: IncomingMessage,
    private readonly options: ReceiveOptions<T>,
  ) {
    this.announcedBytes = Number(request.headers['content-length'] ?? 0);
  }

  async receive(): Promise<ReceivedUpload<T>> {
    if (this.announcedBytes > this.options.maxFileBytes + maxFormBytes)
      throw tooLarge(this.options.maxFileBytes);
    await this.readBody(this.createParser());
    const gate = this.gate;
    if (!gate) {
      if (!this.options.insteadOfFile?.some((name) => this.fields.has(name)))
        throw new Refused('file_missing');
      return { ok: true, stored: undefined, sizeBytes: 0, fields: Object.fromEntries(this.fields) };
    }
    if (gate.sizeBytes > 0 && gate.sizeBytes < this.atLeastBytes) throw tooMuchBesides();
    await this.finishFile(gate);
    if (!this.stored) throw new Error('The file passed its checks but was not handed to the store');
    return {
      ok: true,
      stored: await this.stored,
      sizeBytes: gate.sizeBytes,
      fields: Object.fromEntries(this.fields),
    };
  }

  /** Stops reading, fails the store's stream and waits until the store has cleaned up. */
  async abandon(error: unknown): Promise<void> {
    this.firstFailure ??= error;
    if (this.parser) {
      this.request.unpipe(this.parser);
      this.parser.on('error', () => undefined).destroy();
    }
    this.gate?.on('error', () => undefined).destroy(asError(this.firstFailure));
    await this.stored?.catch(() => undefined);
  }

  private get atLeastBytes(): number {
    return Math.max(0, this.announcedBytes - maxFormBytes);
  }

  private createParser(): BusboyInstance {
    const contentType = this.request.headers['content-type'] ?? '';
    const headers = { ...this.request.headers, 'content-type': contentType };
    // A recording that was sent as an ordinary field is told so at once, not when it has passed the limit of fields.
    const isFile = (field: string | undefined, _type: string | undefined, filename: string | undefined) =>
      filename !== undefined || field === 'file';
    if (!/^multipart\/form-data\s*;/i.test(contentType)) throw unreadable('it is not multipart/form-data');
    try {
      // Paths are cut off by `displayFilename`; the parser would not cut off those of the other operating system.
      return new Busboy({ headers, limits, preservePath: true, isPartAFile: isFile });
    } catch {
      throw unreadable('its Content-Type names no boundary');
    }
  }

  private async readBody(parser: BusboyInstance): Promise<void> {
    const { request, options } = this;
    const { minBytesPerSecond, paceWindowSeconds: windowSeconds = 10 } = options;
    this.parser = parser;
    const onClose = () => request.complete || this.fail(clientGone());
    let stopWatch = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        this.fail = (error) => {
          this.firstFailure ??= error;
          reject(asError(error));
        };
        // node reports a client that leaves as an error, or merely closes; the parser would wait for ever.
        request.on('error', () => this.fail(clientGone())).once('close', onClose);
        if (request.destroyed) onClose();
        parser.on('file', (field, stream, filename) => this.takeFile(field, stream, filename));
        parser.on('field', (name, value, nameCut, valueCut) =>
          this.takeField(name, value, nameCut || valueCut),
        );
        parser.on('fieldsLimit', () => this.fail(unreadable(`it has more than ${limits.fields} fields`)));
        parser.on('partsLimit', () => this.fail(unreadable(`it has more than ${limits.parts} parts`)));
        parser.on('error', () => this.fail(unreadable('it is not well-formed multipart, or was cut short')));
        parser.on('finish', resolve);
        const pace = {
          movedBytes: () => request.socket.bytesRead,
          // What it has sent may still lie in the parser, however long it takes until the store is ready for it.
          isAwaited: () => !request.complete && !parser.writableNeedDrain,
        };
        stopWatch = watchPace(pace, { minBytesPerSecond, windowSeconds }, () =>
          this.fail(
            new Refused(
              'too_slow',
              `The upload stayed under ${minBytesPerSecond} bytes per second and was ended. Try again over a faster connection.`,
            ),
          ),
        );
        request.on('data', this.countBody);
        request.pipe(parser);
      });
    } finally {
      stopWatch();
      request.off('data', this.countBody).off('close', onClose);
    }
  }

  private readonly countBody = (chunk: Buffer) => {
    this.bodyBytes += chunk.length;
    uploadBytes.inc(chunk.length);
    if (this.bodyBytes - (this.gate?.sizeBytes ?? 0) > maxFormBytes) this.fail(tooMuchBesides());
  };

  private takeField(name: string, value: string, cut: boolean): void {
    if (!this.options.fieldNames.includes(name)) return;
    if (cut)
      this.fail(new Refused('invalid_parameter', `${name}: must be at most ${limits.fieldSize} bytes long`));
    const before = name.endsWith('[]') ? this.fields.get(name) : undefined;
    this.fields.set(name, before === undefined ? value : `${before},${value}`);
  }

  private takeFile(field: string, content: Readable, sentName: string | undefined): void {
    content.on('error', () => undefined);
    // Unknown fields are ignored, files among them; browsers send a nameless file where none was chosen.
    if (field !== 'file' || sentName === '') {
      content.resume();
      return;
    }
    const filename = displayFilename(sentName ?? '');
    if (sentName === undefined) {
      this.fail(sentWithoutName());
      content.resume();
    } else if (this.gate) {
      this.fail(new Refused('too_many_files'));
    } else if (!hasAcceptedExtension(filename)) {
      this.fail(unsupported('its name does not end in the extension of a supported type.'));
    } else {
      this.gate = new FileGate(this.options.maxFileBytes, (kind) => this.openStore(filename, kind));
      pipeline(content, this.gate, { end: false }).catch((error: unknown) => this.fileBroke(error));
    }
  }

  private fileBroke(error: unknown): void {
    const { gate, stored } = this;
    if (!gate || gate.errored || !stored) {
      this.fail(error);
      return;
    }
    // The store let go of the stream; why, it says only after it has cleaned up.
    const fail = (reason: unknown) => this.fail(reason);
    stored.then(() => fail(new Error('The store did not take the whole file')), fail);
  }

  private openStore(filename: string, kind: AudioKind): void {
    const { gate, options, atLeastBytes } = this;
    if (!gate) return;
    const file = { filename, contentType: contentTypes[kind], atLeastBytes };
    this.stored = (async () => options.store(gate, file))();
    this.stored.catch((error: unknown) => this.fail(error));
  }

  /** Ends the file towards the store. One too short for the first check is judged only here, when all of it is known. */
  private async finishFile(gate: FileGate): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.fail = (error) => {
        this.firstFailure ??= error;
        reject(asError(error));
      };
      if (this.firstFailure !== undefined) this.fail(this.firstFailure);
      gate.once('error', (error) => this.fail(error));
      gate.once('finish', () => {
        // The store has taken the last byte; what is left is its own outcome.
        this.stored?.then(() => resolve(), reject);
      });
      gate.end();
    });
  }
}

const clientGone = () => new Refused('client_gone');
const sentWithoutName = () =>
  new Refused(
    'file_missing',
    `file: send it as a file, with a filename that ends in ${acceptedExtensions.join(' ')}`,
  );
const unreadable = (reason: string) =>
  new Refused('body_unreadable', `The request body cannot be read: ${reason}.`);
const tooMuchBesides = () => unreadable(`it holds more than ${maxFormBytes} bytes besides the field "file"`);

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
