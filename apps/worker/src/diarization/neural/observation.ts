/** Up to two seconds of one voice. */
export interface Piece {
  /** Frames of the window in which it speaks: from, to (exclusive), from, to … */
  readonly runs: readonly number[];
  /** In how many frames it speaks and nobody else does. */
  readonly alone: number;
  /** What it sounds like, a vector of length 1; null where too little of it was heard. */
  readonly embedding: Float32Array | null;
}

/** What one person says within a window, as far as the segmentation can tell; it may take two people for one. */
export type Voice = readonly Piece[];

/** Ten seconds in which up to three voices were told apart; windows overlap. */
export interface Window {
  /** Seconds from the beginning of the recording. */
  readonly start: number;
  readonly voices: readonly Voice[];
}

/** What the speaker engine heard in a chunk. */
export interface Observation {
  /** Which models it was heard with; embeddings of different ones cannot be compared. */
  readonly model: string;
  readonly windows: readonly Window[];
}

/** A frame of the segmentation is 270 samples at 16 kHz. */
export const FRAMES_PER_SECOND = 16_000 / 270;

const MAGIC = 0x31565053; // "SPV1", little-endian

/**
 * Chunks may be heard by different workers, so observations travel through the object store: one byte per number of
 * an embedding, about 400 bytes per second of speech.
 */
export function encodeObservation({ model, windows }: Observation): Buffer {
  const parts: Buffer[] = [numbers('u32', [MAGIC]), text(model), numbers('u32', [windows.length])];
  for (const { start, voices } of windows) {
    parts.push(numbers('f64', [start]), numbers('u16', [voices.length]));
    for (const voice of voices) {
      parts.push(numbers('u16', [voice.length]));
      for (const { runs, alone, embedding } of voice) {
        parts.push(numbers('u16', [runs.length, alone, embedding?.length ?? 0, ...runs]));
        if (embedding) parts.push(quantised(embedding));
      }
    }
  }
  return Buffer.concat(parts);
}

/** Whether these bytes begin as those of `encodeObservation` do. */
export function isObservation(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === MAGIC;
}

/** @throws RangeError for bytes that `encodeObservation` did not write. */
export function decodeObservation(bytes: Buffer): Observation {
  try {
    return read(new Cursor(bytes));
  } catch (error) {
    throw new RangeError('Not an observation of voices, or an incomplete one', { cause: error });
  }
}

function read(cursor: Cursor): Observation {
  if (cursor.u32() !== MAGIC) throw new RangeError('Another kind of bytes');
  const model = cursor.take(cursor.u16()).toString('utf8');
  const windows = times(cursor.u32(), (): Window => {
    const start = cursor.f64();
    const voices = times(cursor.u16(), () => times(cursor.u16(), () => piece(cursor)));
    return { start, voices };
  });
  if (!cursor.atEnd) throw new RangeError('More bytes than were written');
  return { model, windows };
}

function piece(cursor: Cursor): Piece {
  const [runCount, alone, dimension] = [cursor.u16(), cursor.u16(), cursor.u16()];
  const runs = times(runCount, () => cursor.u16());
  return { runs, alone, embedding: dimension > 0 ? unquantised(cursor, dimension) : null };
}

/** The largest number as a 32-bit float, then every number as its share of that in 127ths. */
function quantised(embedding: Float32Array): Buffer {
  const largest = embedding.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  const buffer = Buffer.alloc(4 + embedding.length);
  buffer.writeFloatLE(largest, 0);
  embedding.forEach((value, index) => buffer.writeInt8(Math.round((value / largest) * 127), 4 + index));
  return buffer;
}

function unquantised(cursor: Cursor, dimension: number): Float32Array {
  const largest = cursor.f32();
  const values = Float32Array.from(cursor.take(dimension), (byte) => ((byte << 24) >> 24) * (largest / 127));
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return values.map((value) => value / Math.max(length, 1e-9));
}

function numbers(kind: 'u16' | 'u32' | 'f64', values: readonly number[]): Buffer {
  const bytes = { u16: 2, u32: 4, f64: 8 }[kind];
  const buffer = Buffer.alloc(bytes * values.length);
  values.forEach((value, index) => {
    if (kind === 'u16') buffer.writeUInt16LE(value, index * bytes);
    else if (kind === 'u32') buffer.writeUInt32LE(value, index * bytes);
    else buffer.writeDoubleLE(value, index * bytes);
  });
  return buffer;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([numbers('u16', [bytes.length]), bytes]);
}

function times<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}

/** Reads on from where it is; a Buffer throws where there is nothing left. */
class Cursor {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get atEnd(): boolean {
    return this.at === this.bytes.length;
  }

  u16 = () => this.bytes.readUInt16LE((this.at += 2) - 2);
  u32 = () => this.bytes.readUInt32LE((this.at += 4) - 4);
  f32 = () => this.bytes.readFloatLE((this.at += 4) - 4);
  f64 = () => this.bytes.readDoubleLE((this.at += 8) - 8);

  take(length: number): Buffer {
    const part = this.bytes.subarray(this.at, this.at + length);
    if (part.length !== length) throw new RangeError('Incomplete');
    this.at += length;
    return part;
  }
}
