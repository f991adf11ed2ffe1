import { Downmix } from './downmix';
import { bytesOf } from './pcm';
import { joined, noise, seededRandom, silence, syllables } from './synthetic-sound';

/** A WAV file as ffmpeg writes it into a pipe, where it does not know how long it will be. */
function wav(...channels: Int16Array[]): Buffer {
  const header = Buffer.alloc(44, 255);
  header.write('RIFF', 0);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels.length, 22);
  header.write('data', 36);
  const samples = new Int16Array(channels.length * channels[0]!.length);
  channels.forEach((channel, at) =>
    channel.forEach((sample, index) => (samples[index * channels.length + at] = sample)),
  );
  return Buffer.concat([header, bytesOf(samples)]);
}

function mixed(file: Buffer, seed = 5): Int16Array {
  const random = seededRandom(seed);
  const downmix = new Downmix();
  const blocks: Int16Array[] = [];
  for (let at = 0; at < file.length;) {
    const size = 1 + Math.floor(random() ** 4 * 30_000);
    blocks.push(downmix.add(file.subarray(at, at + size)));
    at += size;
  }
  return joined(...blocks, downmix.end());
}

/** Root of the mean square. */
const level = (pcm: Int16Array) =>
  Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
const turned = (pcm: Int16Array) => pcm.map((sample) => -sample);
const voice = joined(syllables(2), silence(0.5), syllables(1.53, 150));

it('gives the very samples of one channel', () => {
  expect(bytesOf(mixed(wav(voice))).equals(bytesOf(voice))).toBe(true);
});

it('of two channels that are alike gives either', () => {
  expect(bytesOf(mixed(wav(voice, voice))).equals(bytesOf(voice))).toBe(true);
});

it('a voice in one channel alone is heard', () => {
  expect(level(mixed(wav(voice, silence(voice.length / 16_000))))).toBeCloseTo(level(voice) / 2, -1);
});

it('one voice in each channel are both heard', () => {
  const other = joined(silence(voice.length / 16_000), syllables(2, 200));
  const long = joined(voice, silence(2));
  const both = mixed(wav(long, other));
  expect(level(both.subarray(0, voice.length))).toBeGreaterThan(level(voice) / 2.1);
  expect(level(both.subarray(voice.length))).toBeGreaterThan(level(syllables(2, 200)) / 2.1);
});

it('channels of which one is upside down do not cancel each other out', () => {
  expect(bytesOf(mixed(wav(voice, turned(voice)))).equals(bytesOf(voice))).toBe(true);
  const hiss = noise(voice.length / 16_000, 0.01);
  const noisy = turned(voice).map((sample, index) => sample * 0.8 + hiss[index]!);
  expect(level(mixed(wav(voice, noisy)))).toBeGreaterThan(0.8 * level(voice));
});

it('mixes the same way wherever the blocks end', () => {
  const file = wav(voice, joined(turned(voice.subarray(0, 30_000)), voice.subarray(30_000)));
  const once = bytesOf(mixed(file, 1));
  for (let seed = 2; seed < 6; seed++) expect(bytesOf(mixed(file, seed)).equals(once)).toBe(true);
});

it('gives nothing of a file that ends within its header or has no sound', () => {
  for (let size = 0; size <= 44; size++)
    expect(mixed(wav(new Int16Array(1)).subarray(0, size))).toHaveLength(0);
});

it('does not take something else for sound', () => {
  expect(() => mixed(Buffer.from('no sound at all'))).toThrow('something else');
});
