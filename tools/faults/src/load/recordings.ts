import { createHash } from 'node:crypto';
import type { Random } from '../random';

/** A file that a customer sends. `seconds` is what it must be charged for; null where it is refused or fails. */
export interface Recording {
  readonly filename: string;
  readonly bytes: Buffer;
  readonly seconds: number | null;
}

/** A tone, as a WAV file of 16 bit samples. */
export function tone(
  name: string,
  seconds: number,
  { rate = 16_000, channels = 1, hertz = 440 } = {},
): Recording {
  const frames = Math.round(seconds * rate);
  const bytes = Buffer.alloc(44 + frames * channels * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(channels, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * channels * 2, 28);
  bytes.writeUInt16LE(channels * 2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(frames * channels * 2, 40);
  // One period of samples, repeated: a large file is to cost no time.
  const period = Buffer.alloc(rate * channels * 2);
  for (let frame = 0; frame < rate; frame++) {
    const sample = Math.round(8_000 * Math.sin((2 * Math.PI * hertz * frame) / rate));
    for (let channel = 0; channel < channels; channel++)
      period.writeInt16LE(sample, (frame * channels + channel) * 2);
  }
  for (let at = 44; at < bytes.length; at += period.length) period.copy(bytes, at);
  return { filename: `${name}.wav`, bytes, seconds };
}

/** One chunk, done by a worker in one go. */
export function short(name: string, random: Random): Recording {
  return tone(name, 2 + random.below(14));
}

/** Several chunks: cut, recognized on whatever workers are free, put together again. */
export function long(name: string, random: Random): Recording {
  return tone(name, 85 + random.below(30));
}

/** Large enough to be stored in several parts. */
export function heavy(name: string, random: Random): Recording {
  return tone(name, 55 + random.below(10), { rate: 48_000, channels: 2 });
}

/** What no decoder can read, or only the beginning of. */
export function poison(name: string, random: Random): Recording {
  const noise = (length: number) => {
    const blocks: Buffer[] = [];
    for (let at = 0; at < length; at += 32)
      blocks.push(createHash('sha256').update(`${name} ${at}`).digest());
    return Buffer.concat(blocks).subarray(0, length);
  };
  switch (random.below(6)) {
    case 0:
      return {
        filename: `${name}.mp3`,
        bytes: Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), noise(9_000)]),
        seconds: null,
      };
    case 1:
      return {
        filename: `${name}.mp4`,
        bytes: Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1'), noise(20_000)]),
        seconds: null,
      };
    case 2:
      return {
        filename: `${name}.flac`,
        bytes: Buffer.concat([Buffer.from('fLaC'), noise(5_000)]),
        seconds: null,
      };
    case 3: {
      // As long as it says, in a code that nobody knows: it is accepted, and fails.
      const { bytes } = tone(name, 5);
      bytes.writeUInt16LE(0x7abc, 20);
      return { filename: `${name}.wav`, bytes, seconds: null };
    }
    case 4:
      return { filename: `${name}.wav`, bytes: Buffer.alloc(0), seconds: null };
    default:
      return {
        filename: `${name}.ogg`,
        bytes: Buffer.from('This is a text and no recording.'),
        seconds: null,
      };
  }
}
