import {
  codedEngine,
  codedRecording,
  startPlatform,
  testServers,
  type CodedRecording,
  type SaidWord,
  type TestPlatform,
} from '@currawong/testing';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

// Files as they come from telephones, browsers, editors and broken downloads. The engine hears every word or none, so that
// it shows whether one was lost on the way.
const seconds = 12;
let platform: TestPlatform;
let customer: Client;
let folder: string;
let recording: CodedRecording;
let other: CodedRecording;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-odd-'));
  const { ffmpeg: ffmpegPath, python: pythonPath } = testServers().tools;
  recording = await codedRecording({ ffmpegPath, path: at('plain.wav'), seconds, seed: 5 });
  other = await codedRecording({ ffmpegPath, path: at('other.wav'), seconds, seed: 90_005 });
  platform = await startPlatform({ env: codedEngine(folder, { pythonPath, realTimeFactor: 0 }) });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);

/** Makes a file out of the plain recording. */
function made(name: string, ...options: string[]): string {
  return ffmpeg('-i', at('plain.wav'), ...options, at(name));
}

function ffmpeg(...options: string[]): string {
  execFileSync(testServers().tools.ffmpeg, ['-nostdin', '-v', 'error', '-y', ...options]);
  return options.at(-1)!;
}

/** The same bytes under another name. */
function named(name: string, bytes: Buffer): string {
  writeFileSync(at(name), bytes);
  return at(name);
}

const textOf = (words: readonly SaidWord[]) => words.map(({ text }) => text).join(' ');

/** Costs what its decoded length costs, as everything does. */
async function transcribed(path: string) {
  const job = await customer.finished(await customer.submit(path), 60);
  expect(job).toMatchObject({ status: 'completed', error_message: null });
  const length = job.audio_duration_seconds!;
  expect(job['cost_aud']).toBeCloseTo((length * 0.02) / 60, 4);
  return { text: job.transcription!, seconds: length };
}

async function expectAllWords(path: string): Promise<void> {
  const { text, seconds: length } = await transcribed(path);
  expect(text).toBe(textOf(recording.words));
  expect(Math.abs(length - seconds)).toBeLessThanOrEqual(1);
}

it.each<[string, string, string[]]>([
  ['a telephone call, µ-law', 'mulaw.wav', ['-ar', '8000', '-c:a', 'pcm_mulaw']],
  ['a telephone call, A-law', 'alaw.wav', ['-ar', '8000', '-c:a', 'pcm_alaw']],
  ['8 kHz, 16 bit', 'narrow.wav', ['-ar', '8000']],
  ['8 bit', '8-bit.wav', ['-c:a', 'pcm_u8']],
  ['24 bit, 96 kHz, stereo', '24-bit.wav', ['-c:a', 'pcm_s24le', '-ar', '96000', '-ac', '2']],
  ['32 bit float', 'float.wav', ['-c:a', 'pcm_f32le', '-ar', '48000']],
  ['64 bit float', 'double.wav', ['-c:a', 'pcm_f64le']],
  ['a WAV for more than 4 GB', 'rf64.wav', ['-rf64', 'always']],
  ['ADPCM', 'adpcm.wav', ['-c:a', 'adpcm_ms']],
  ['24 bit FLAC', 'deep.flac', ['-sample_fmt', 's32', '-ar', '48000']],
  ['variable bit rate', 'vbr.mp3', ['-q:a', '4', '-ar', '44100']],
  [
    'variable bit rate without a header that says how long',
    'bare.mp3',
    ['-q:a', '4', '-write_xing', '0', '-id3v2_version', '0'],
  ],
  ['mp3 of a telephone', 'narrow.mp3', ['-ar', '8000', '-b:a', '16k']],
  ['AAC with its index at the end', 'late.m4a', ['-c:a', 'aac', '-b:a', '96k']],
  [
    'AAC with its index at the beginning',
    'early.m4a',
    ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart'],
  ],
  [
    'AAC in fragments',
    'fragments.mp4',
    ['-c:a', 'aac', '-b:a', '96k', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '1000000'],
  ],
  ['Apple Lossless', 'lossless.m4a', ['-c:a', 'alac']],
  ['six channels', 'surround.flac', ['-af', 'pan=5.1|FC=c0']],
])('%s', async (_, name, options) => expectAllWords(made(name, ...options)), 90_000);

describe('two channels', () => {
  const inputs = () => ['-i', at('plain.wav'), '-i', at('other.wav')];

  it.each(['left', 'right'])('a voice that is only in the %s one', async (side) => {
    const pan = side === 'left' ? 'pan=stereo|c0=c0' : 'pan=stereo|c1=c0';
    await expectAllWords(made(`${side}.wav`, '-af', pan));
  });

  it('the same voice upside down in one of them, which would cancel out', async () => {
    await expectAllWords(made('crossed.wav', '-af', 'pan=stereo|c0=c0|c1=-1*c0'));
    await expectAllWords(
      made('crossed.m4a', '-af', 'pan=stereo|c0=c0|c1=-0.8*c0', '-c:a', 'aac', '-b:a', '128k'),
    );
  }, 60_000);

  it('one voice in each, one after the other', async () => {
    const late = `adelay=${seconds * 1000}`;
    const graph = `[1:a]${late}[late];[0:a]apad=pad_dur=${seconds}[early];[early][late]amerge=inputs=2[a]`;
    const path = ffmpeg(...inputs(), '-filter_complex', graph, '-map', '[a]', at('two-voices.wav'));
    const { text } = await transcribed(path);
    expect(text).toBe(`${textOf(recording.words)} ${textOf(other.words)}`);
  });
});

describe('containers', () => {
  const cover = () => {
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=d=1:s=64x64', '-frames:v', '1', at('cover.png'));
    return ['-i', at('cover.png'), '-map', '0:a', '-map', '1:v', '-disposition:v', 'attached_pic'];
  };

  it.each(['cover.mp3', 'cover.m4a', 'cover.flac'])('cover art: %s', async (name) => {
    await expectAllWords(made(name, ...cover(), '-c:v', name.endsWith('mp3') ? 'copy' : 'mjpeg'));
  });

  it.each<[string, string[]]>([
    ['film.mp4', ['-c:v', 'libx264', '-c:a', 'aac', '-b:a', '96k']],
    ['film.webm', ['-c:v', 'libvpx', '-c:a', 'libopus']],
  ])('a film: %s', async (name, encoding) => {
    const picture = ['-f', 'lavfi', '-i', `testsrc=d=${seconds}:s=64x64:r=5`];
    await expectAllWords(ffmpeg(...picture, '-i', at('plain.wav'), ...encoding, at(name)));
  });

  it('what a browser records, which says nowhere how long it is', async () => {
    const bytes = execFileSync(testServers().tools.ffmpeg, [
      ...[
        '-nostdin',
        '-v',
        'error',
        '-i',
        at('plain.wav'),
        '-c:a',
        'libopus',
        '-f',
        'webm',
        '-live',
        '1',
        '-',
      ],
    ]);
    await expectAllWords(named('browser.webm', bytes));
  });

  it('of several audio tracks the first', async () => {
    const tracks = ['-i', at('other.wav'), '-map', '0:a', '-map', '1:a', '-c:a', 'aac', '-b:a', '96k'];
    await expectAllWords(made('tracks.mp4', ...tracks));
  });

  it('a film without sound is refused in words', async () => {
    const path = ffmpeg('-f', 'lavfi', '-i', 'testsrc=d=2:s=64x64:r=5', '-c:v', 'libx264', at('silent.mp4'));
    expect(await refusal(path)).toMatch(/no audio/);
  });
});

describe('the extension of another kind', () => {
  it.each<[string, string, string[]]>([
    ['mp3', 'really-mp3.wav', ['-f', 'mp3', '-q:a', '4']],
    ['ogg', 'really-ogg.mp3', ['-f', 'ogg', '-c:a', 'libopus']],
    ['wav', 'really-wav.flac', ['-f', 'wav']],
    ['flac', 'really-flac.m4a', ['-f', 'flac']],
    ['mp4', 'really-mp4.ogg', ['-f', 'mp4', '-c:a', 'aac', '-b:a', '96k']],
  ])('an %s under the name %s is taken for what it is', async (_, name, options) => {
    await expectAllWords(made(name, ...options));
  });

  it('what is of no accepted kind is refused, with those that are', async () => {
    const answer = await customer.transcribe({
      name: 'letter.mp3',
      bytes: Buffer.from('Dear Sir, '.repeat(1000)),
    });
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toMatch(/\.mp3/);
  });
});

/** What a user is told of a file that is of no use, at once or once it was looked into. */
async function refusal(path: string): Promise<string> {
  const answer = await customer.transcribe(path);
  if (answer.status !== 200) {
    expect(answer.status).toBe(400);
    return String(answer.body['detail']);
  }
  const job = await customer.finished(String(answer.body['job_id']), 60);
  expect(job).toMatchObject({ status: 'failed', transcription: null });
  return job.error_message!;
}

describe('broken off in the middle', () => {
  it.each<[string, string[]]>([
    ['half.mp3', ['-q:a', '4']],
    ['half.flac', []],
    ['half.ogg', ['-c:a', 'libopus']],
    ['half.wav', []],
    ['half.webm', ['-c:a', 'libopus']],
    ['half-early.m4a', ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart']],
  ])('%s: what is there is transcribed, and only that is charged', async (name, options) => {
    const bytes = readFileSync(made(name, ...options));
    const { text, seconds: length } = await transcribed(named(name, bytes.subarray(0, bytes.length / 2)));
    expect(length).toBeGreaterThan(seconds / 3);
    expect(length).toBeLessThan((seconds * 2) / 3);
    const whole = recording.words.filter(({ end }) => end < length - 1.5);
    expect(whole.length).toBeGreaterThan(3);
    expect(text.startsWith(textOf(whole))).toBe(true);
  });

  it('an m4a whose index was at its end is refused in words', async () => {
    const bytes = readFileSync(made('half-late.m4a', '-c:a', 'aac', '-b:a', '96k'));
    expect(await refusal(named('half-late.m4a', bytes.subarray(0, bytes.length / 2)))).toMatch(/\w+ .*\./);
  });
});

describe('headers of WAV files', () => {
  it.each<[string, (bytes: Buffer) => void]>([
    ['0', (bytes) => bytes.writeUInt32LE(0, 40)],
    [
      'the largest number, as encoders write that do not know it yet',
      (bytes) => {
        bytes.writeUInt32LE(0xffffffff, 4);
        bytes.writeUInt32LE(0xffffffff, 40);
      },
    ],
    ['more than there is', (bytes) => bytes.writeUInt32LE(bytes.length * 3, 40)],
  ])('a length of %s', async (_, change) => {
    const bytes = readFileSync(made('bare.wav', '-fflags', '+bitexact', '-map_metadata', '-1'));
    expect(bytes.toString('latin1', 36, 40)).toBe('data');
    change(bytes);
    await expectAllWords(named('length.wav', bytes));
  });

  it('other chunks, one of them of an odd size, before the sound', async () => {
    const bytes = readFileSync(made('bare.wav', '-fflags', '+bitexact', '-map_metadata', '-1'));
    const odd = Buffer.from('junk\x05\0\0\0hello\0bext\x04\0\0\0abcd', 'latin1');
    await expectAllWords(
      named('chunks.wav', Buffer.concat([bytes.subarray(0, 36), odd, bytes.subarray(36)])),
    );
  });
});

describe('hardly anything', () => {
  it('a tenth of a second completes, with no words, for a second at most', async () => {
    const { text, seconds: length } = await transcribed(named('short.wav', wav(0.1, 300)));
    expect(text).toBe('');
    expect(length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['no samples at all', () => wav(0)],
    ['a header and not a byte more', () => wav(0).subarray(0, 36)],
  ])('%s: nothing is charged and nobody is left waiting', async (_, bytes) => {
    const before = (await customer.get('/api/v1/credit')).body['total_used_aud'];
    const answer = await customer.transcribe({ name: 'empty.wav', bytes: bytes() });
    if (answer.status === 200) {
      const job = await customer.finished(String(answer.body['job_id']), 60);
      if (job.status === 'failed') expect(job.error_message).toMatch(/\w+ .*\./);
      else expect(job).toMatchObject({ status: 'completed', transcription: '', audio_duration_seconds: 0 });
    } else expect(answer).toMatchObject({ status: 400 });
    expect((await customer.get('/api/v1/credit')).body['total_used_aud']).toBe(before);
  });
});
