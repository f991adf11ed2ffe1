import { Transform, type TransformCallback } from 'node:stream';
import { acceptedExtensions, audioKindOf, sniffedBytes, type AudioKind } from './audio-kind';
import { Refused } from './refusal';

/**
 * The file's bytes on their way to the store. Nothing passes before the leading bytes have shown an accepted
 * container, and nothing beyond the largest allowed size; a violation destroys the stream with a `Refused`.
 */
export class FileGate extends Transform {
  sizeBytes = 0;
  private head: Buffer[] | undefined = [];

  constructor(
    private readonly maxFileBytes: number,
    /** Called once, before the first byte can be read. */
    private readonly onAccepted: (kind: AudioKind) => void,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > this.maxFileBytes) {
      callback(tooLarge(this.maxFileBytes));
    } else if (!this.head) {
      callback(null, chunk);
    } else {
      this.head.push(chunk);
      if (this.sizeBytes < sniffedBytes) callback();
      else this.open(this.head, callback);
    }
  }

  override _flush(callback: TransformCallback): void {
    if (this.sizeBytes === 0) callback(new Refused('file_empty'));
    else if (this.head) this.open(this.head, callback);
    else callback();
  }

  private open(chunks: Buffer[], callback: TransformCallback): void {
    const head = Buffer.concat(chunks);
    const kind = audioKindOf(head);
    this.head = undefined;
    if (kind) {
      this.onAccepted(kind);
      callback(null, head);
    } else {
      callback(unsupported('its content is not audio of a supported type.'));
    }
  }
}

export function tooLarge(maxFileBytes: number): Refused {
  const megabytes = maxFileBytes / 1_000_000;
  return new Refused('file_too_large', `file: it is larger than the ${megabytes} MB that are allowed.`);
}

export function unsupported(reason: string): Refused {
  return new Refused('file_type_unsupported', `file: ${reason} Allowed: ${acceptedExtensions.join(' ')}`);
}
