import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** What is uploaded: the same bytes every time, made or kept so that sending them costs next to nothing. */
export interface Recording {
  readonly filename: string;
  readonly sizeBytes: number;
  readonly chunks: () => Iterable<Buffer>;
}

const headerBytes = 44;
const chunkBytes = 256 * 1024;

/** A tone, 16 kHz mono, 16 bit: everything in it counts as speech. */
export function tone(seconds: number, hertz = 300): Recording {
  const samples = Buffer.alloc(Math.round(seconds * 16_000) * 2);
  for (let index = 0; index < samples.length / 2; index++) {
    samples.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * hertz * index) / 16_000)), index * 2);
  }
  return inMemory('tone.wav', Buffer.concat([wavHeader(samples.length, 1, 16_000), samples]));
}

/** Noise, 48 kHz stereo, 16 bit, of about this size: bytes that neither side can compress away. */
export function noise(sizeBytes: number): Recording {
  const dataBytes = sizeBytes - headerBytes - ((sizeBytes - headerBytes) % 4);
  const header = wavHeader(dataBytes, 2, 48_000);
  const block = randomBytes(chunkBytes);
  return {
    filename: 'noise.wav',
    sizeBytes: headerBytes + dataBytes,
    *chunks() {
      yield header;
      for (let left = dataBytes; left > 0; left -= chunkBytes)
        yield left < chunkBytes ? block.subarray(0, left) : block;
    },
  };
}

export function recordingFile(path: string): Recording {
  return inMemory(basename(path), readFileSync(path));
}

function inMemory(filename: string, bytes: Buffer): Recording {
  return { filename, sizeBytes: bytes.length, chunks: () => [bytes] };
}

function wavHeader(dataBytes: number, channels: number, samplesPerSecond: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
