import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { probeLength } from './probe-length';

const repositoryFolder = resolve(__dirname, '../../../../..');
const speechFolder = process.env['CURRAWONG_SPEECH_DIR'] ?? join(repositoryFolder, '../shared/speech');
const dialogue = join(speechFolder, 'katiesteve.wav');
const dialogueSeconds = 29.49;
const ffmpeg = process.env['CURRAWONG_FFMPEG'];

/** Skips visibly where the recordings or the encoder are not at hand. */
function describeWithRecordings(name: string, tests: () => void) {
  const missing = !existsSync(dialogue)
    ? `no recordings in ${speechFolder}`
    : !ffmpeg
      ? 'CURRAWONG_FFMPEG is not set'
      : '';
  if (missing) console.warn(`Skipped: ${name}: ${missing}`);
  (missing ? describe.skip : describe)(name, tests);
}

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'currawong-probe-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const madeFiles = new Map<string, Buffer>();

/** What ffmpeg makes of the dialogue; written to a pipe when `name` begins with a dash. */
function encoded(name: string, args: string[], input = ['-i', dialogue]): Buffer {
  const known = madeFiles.get(name);
  if (known) return known;
  const path = join(folder, name);
  const piped = name.startsWith('-');
  const options = {
    maxBuffer: 512 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  };
  const quietly = ['-hide_banner', '-loglevel', 'error', '-y'];
  const output = execFileSync(ffmpeg!, [...quietly, ...input, ...args, piped ? '-' : path], options);
  const bytes = piped ? output : readFileSync(path);
  madeFiles.set(name, bytes);
  return bytes;
}

/** The dialogue over and over: encoded once, and then copied, because encoding an hour takes long. */
function encodedLong(name: string, encoding: string[], muxing: string[]): Buffer {
  const loops = ['-stream_loop', String(longLoops - 1), '-i'];
  if (encoding.length === 0) return encoded(name, muxing, [...loops, dialogue]);
  encoded(`${name}.mka`, encoding);
  return encoded(name, ['-c', 'copy', ...muxing], [...loops, join(folder, `${name}.mka`)]);
}

async function probe(bytes: Buffer) {
  const reads: number[] = [];
  const read = (start: number, end: number) => {
    reads.push(end - start);
    return Promise.resolve(bytes.subarray(start, end));
  };
  const result = await probeLength({ read, sizeBytes: bytes.length });
  return { result, readCount: reads.length, readBytes: reads.reduce((sum, size) => sum + size, 0) };
}

const fragmented = ['-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '2000000'];
// Cut by time: -shortest lets the picture run on for as long as the encoder has frames in hand.
const picture = [
  '-f',
  'lavfi',
  '-i',
  'testsrc=size=160x120:rate=5',
  '-map',
  '0:a',
  '-map',
  '1:v',
  '-t',
  String(dialogueSeconds),
];
const files: [name: string, args: string[], isExact: boolean][] = [
  ['plain.wav', [], true],
  ['-piped.wav', ['-f', 'wav'], true],
  ['float.wav', ['-c:a', 'pcm_f32le'], true],
  ['adpcm.wav', ['-c:a', 'adpcm_ms'], true],
  ['rf64.wav', ['-rf64', 'always'], true],
  ['a.flac', [], true],
  ['-piped.flac', ['-f', 'flac'], false],
  ['xing.mp3', [], true],
  ['vbr.mp3', ['-q:a', '2'], true],
  ['cbr-without-xing.mp3', ['-write_xing', '0', '-b:a', '64k'], true],
  ['vbr-without-xing.mp3', ['-write_xing', '0', '-q:a', '4'], true],
  ['without-id3.mp3', ['-write_xing', '0', '-id3v2_version', '0', '-q:a', '4'], true],
  ['layer2.mp3', ['-c:a', 'mp2', '-f', 'mp2'], true],
  ['opus.ogg', ['-c:a', 'libopus'], true],
  ['vorbis.ogg', ['-c:a', 'libvorbis'], true],
  ['flac.ogg', ['-c:a', 'flac'], true],
  ['moov-last.m4a', [], true],
  ['moov-first.m4a', ['-movflags', '+faststart'], true],
  ['alac.m4a', ['-c:a', 'alac'], true],
  ['fragmented.mp4', fragmented, false],
  ['-fragmented.mp4', [...fragmented, '-f', 'mp4'], false],
  ['indexed-fragments.mp4', ['-movflags', 'dash+global_sidx', '-frag_duration', '2000000'], false],
  ['a.webm', ['-c:a', 'libopus'], true],
  ['vorbis.webm', ['-c:a', 'libvorbis'], true],
  ['live.webm', ['-c:a', 'libopus', '-f', 'webm', '-live', '1'], false],
  ['-piped.webm', ['-c:a', 'libopus', '-f', 'webm'], false],
  ['picture.mp4', [...picture, '-c:v', 'mpeg4'], true],
  ['picture.webm', [...picture, '-c:v', 'libvpx', '-c:a', 'libopus'], true],
  ['live-picture.webm', [...picture, '-c:v', 'libvpx', '-c:a', 'libopus', '-f', 'webm', '-live', '1'], false],
];

describeWithRecordings('the length of what ffmpeg writes', () => {
  it.each(files)('%s is found within half a second', async (name, args, isExact) => {
    const { result, readCount, readBytes } = await probe(encoded(name, args));
    expect(result).toMatchObject({ ok: true, exact: isExact });
    expect(Math.abs((result as { seconds: number }).seconds - dialogueSeconds)).toBeLessThan(0.5);
    expect(readCount).toBeLessThan(25);
    expect(readBytes).toBeLessThan(2_000_000);
  });
});

const longLoops = 120;
const longFiles: [name: string, encoding: string[], muxing: string[]][] = [
  ['long.wav', [], []],
  ['-long.flac', [], ['-f', 'flac']],
  ['long-cbr.mp3', ['-c:a', 'libmp3lame', '-b:a', '32k'], ['-write_xing', '0']],
  ['long-vbr.mp3', ['-c:a', 'libmp3lame', '-q:a', '6'], ['-write_xing', '0']],
  ['long.ogg', ['-c:a', 'libopus', '-b:a', '16k'], []],
  ['long.m4a', ['-c:a', 'aac', '-b:a', '32k'], []],
  ['long-fragmented.mp4', ['-c:a', 'aac', '-b:a', '32k'], fragmented],
  ['long-live.webm', ['-c:a', 'libopus', '-b:a', '16k'], ['-f', 'webm', '-live', '1']],
];

describeWithRecordings('the length of an hour', () => {
  it.each(longFiles)(
    '%s is found within one per cent, from a fraction of the file',
    async (name, encoding, muxing) => {
      const bytes = encodedLong(name, encoding, muxing);
      const { result, readCount, readBytes } = await probe(bytes);
      expect(result).toMatchObject({ ok: true });
      const seconds = (result as { seconds: number }).seconds;
      console.info(
        `${name}: ${bytes.length} bytes, ${seconds.toFixed(2)} s found by ${readCount} reads of ${readBytes} bytes`,
      );
      expect(Math.abs(seconds / (dialogueSeconds * longLoops) - 1)).toBeLessThan(0.01);
      expect(readCount).toBeLessThanOrEqual(52);
      expect(readBytes).toBeLessThan(3_500_000);
    },
    120_000,
  );
});

describeWithRecordings('damaged recordings', () => {
  const base = files.filter(([name]) => !name.includes('picture'));

  it.each(base)(
    '%s with bytes changed or cut off gives a length or a refusal',
    async (name, args) => {
      const whole = encoded(name, args);
      const damage = fc.record({
        lengthBytes: fc.oneof(fc.constant(whole.length), fc.nat(whole.length), fc.nat(4096)),
        changes: fc.array(fc.tuple(fc.oneof(fc.nat(2048), fc.nat(whole.length - 1)), fc.nat(255)), {
          maxLength: 20,
        }),
      });
      await fc.assert(
        fc.asyncProperty(damage, async ({ lengthBytes, changes }) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of changes) bytes[at] = value;
          const { result, readBytes } = await probe(bytes.subarray(0, lengthBytes));
          expect(readBytes).toBeLessThanOrEqual(12 * 1024 * 1024);
          if (result.ok) expect(result.seconds).toBeGreaterThan(0);
          else expect(result.refusal.code).toBe('undecodable_audio');
        }),
        { numRuns: 150 },
      );
    },
    120_000,
  );
});
