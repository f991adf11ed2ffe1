import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execFileSync } from 'node:child_process';

/** Real recordings with transcripts lie beside the repository, where somebody has put them. */
export const SPEECH_FOLDER =
  process.env['CURRAWONG_SPEECH_DIR'] ?? join(__dirname, '..', '..', 'shared', 'speech');

export interface Recording {
  file: string;
  seconds: number;
  speakers: number;
  transcript: string | null;
}

/** Runs the tests where the recordings are there; else reports them as skipped and says why. */
export const describeWithSpeech = existsSync(join(SPEECH_FOLDER, 'manifest.json'))
  ? describe
  : (console.warn(
      `Skipped: there are no recordings in ${SPEECH_FOLDER}; set CURRAWONG_SPEECH_DIR to where they are.`,
    ),
    describe.skip);

export function recordingNamed(file: string): Recording & { path: string } {
  const manifest = JSON.parse(readFileSync(join(SPEECH_FOLDER, 'manifest.json'), 'utf8')) as Recording[];
  const found = manifest.find((recording) => recording.file === file);
  if (!found) throw new Error(`${file} is not in the manifest`);
  return { ...found, path: join(SPEECH_FOLDER, file) };
}

/** A few seconds of clear speech as a WAV file: a real recording where they are there, else the beginning of the sample. */
export function speech(): { name: string; bytes: Buffer; path: string } {
  const path = existsSync(join(SPEECH_FOLDER, 'manifest.json'))
    ? recordingNamed('austen_0870.wav').path
    : converted(join(__dirname, '..', 'samples', 'two-voices.ogg'), 'wav', '-t', '10', '-ac', '1');
  return { name: basename(path), bytes: readFileSync(path), path };
}

// Jest looks globals up by a function of its own: twenty million times, that takes half a minute.
const { PI, max, min, round, sin } = Math;

/** 16 kHz mono 16 bit WAV of silence, or of a tone. */
export function wav(seconds: number, hertz = 0): Buffer {
  const samples = new Float32Array(Math.round(seconds * 16_000));
  if (hertz > 0)
    for (let index = 0; index < samples.length; index++)
      samples[index] = (8_000 / 32_767) * sin((2 * PI * hertz * index) / 16_000);
  return wavOf(samples);
}

/** 16 kHz mono 16 bit WAV of samples from -1 to 1; what is louder is cut off. */
export function wavOf(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(44 + samples.length * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples.length * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(32_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples.length * 2, 40);
  for (let index = 0; index < samples.length; index++)
    bytes.writeInt16LE(round(32_767 * max(-1, min(1, samples[index]!))), 44 + index * 2);
  return bytes;
}

/** The recording as another kind of file, made by ffmpeg and kept for the next time. */
export function converted(source: string, extension: string, ...options: string[]): string {
  const ffmpeg = process.env['CURRAWONG_FFMPEG'];
  if (!ffmpeg) throw new Error('CURRAWONG_FFMPEG does not say where ffmpeg is: run the tests by npm test.');
  const { size, mtimeMs } = statSync(source);
  const key = createHash('sha256')
    .update(JSON.stringify([source, size, mtimeMs, options]))
    .digest('hex');
  const folder = join(tmpdir(), 'currawong-recordings', key.slice(0, 16));
  const target = join(folder, `recording.${extension}`);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  // Two test files may want it at once: whichever is done first.
  const own = join(folder, `${process.pid}.${extension}`);
  execFileSync(ffmpeg, ['-nostdin', '-v', 'error', '-i', source, ...options, '-y', own]);
  renameSync(own, target);
  return target;
}
