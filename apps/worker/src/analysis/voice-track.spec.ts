import { joined, mixed, noise, silence } from '../audio/synthetic-sound';
import { SAMPLES_PER_SECOND } from '../audio/pcm';
import { vowel, type Vowel } from './synthetic-voice';
import { FRAMES_PER_SECOND, trackVoice, VoiceTracks } from './voice-track';

async function framesOf(pcm: Int16Array, startSeconds = 0) {
  const end = pcm.length / SAMPLES_PER_SECOND;
  const track = await trackVoice({ pcm, segments: [{ start: 0, end }], startSeconds });
  return new VoiceTracks([track]).between(startSeconds, startSeconds + end);
}

/** Semitones between what was found and what was sung, frame by frame; the ends, half silent, left out. */
function errors(frames: readonly { hertz: number | null }[], sung: (time: number) => number): number[] {
  return frames
    .slice(1, -1)
    .flatMap(({ hertz }, index) =>
      hertz === null ? [] : [Math.abs(12 * Math.log2(hertz / sung((index + 1.5) / FRAMES_PER_SECOND)))],
    );
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe('pitch', () => {
  const cases = [80, 110, 150, 210, 300, 400].flatMap((hertz) =>
    (['a', 'i', 'u'] as Vowel[]).map((which) => [which, hertz] as const),
  );

  it.each(cases)('of a steady %s at %i Hz is found within a fifth of a semitone', async (which, hertz) => {
    const frames = await framesOf(vowel(1, () => hertz, { vowel: which }));
    const off = errors(frames, () => hertz);
    expect(off.length).toBeGreaterThanOrEqual(17);
    expect(Math.max(...off)).toBeLessThan(0.2);
  });

  it.each([
    [100, 200],
    [220, 110],
    [300, 150],
  ])('is followed from %i to %i Hz in two seconds', async (from, to) => {
    const sung = (time: number) => from * (to / from) ** (time / 2);
    const off = errors(await framesOf(vowel(2, sung)), sung);
    expect(off.length).toBeGreaterThanOrEqual(36);
    expect(median(off)).toBeLessThan(0.2);
    expect(Math.max(...off)).toBeLessThan(0.6);
  });

  it('is found in noise ten decibels below', async () => {
    const sung = () => 180;
    const voice = vowel(2, sung, { level: 0.3 });
    // A uniform noise has a third of its amplitude squared as power, a sine a half.
    const off = errors(await framesOf(mixed(voice, noise(2, 0.3 * Math.sqrt(3 / 2 / 10)))), sung);
    expect(off.length).toBeGreaterThan(25);
    expect(median(off)).toBeLessThan(0.2);
  });

  it('is not found in noise or silence', async () => {
    const hiss = await framesOf(noise(2, 0.2));
    expect(hiss.filter(({ hertz }) => hertz !== null)).toEqual([]);
    const nothing = await framesOf(silence(1));
    expect(nothing.filter(({ hertz }) => hertz !== null)).toEqual([]);
  });
});

describe('level', () => {
  it('is that of the sound within a decibel, twenty times a second', async () => {
    const loud = vowel(1, () => 120, { level: 0.4 });
    const soft = vowel(1, () => 120, { level: 0.04 });
    const frames = await framesOf(joined(loud, soft));
    expect(frames).toHaveLength(40);
    // A sine of that amplitude: 3 dB below its peak.
    expect(Math.abs(frames[10]!.db - (20 * Math.log10(0.4) - 3))).toBeLessThan(1);
    expect(Math.abs(frames[30]!.db - (20 * Math.log10(0.04) - 3))).toBeLessThan(1);
  });
});

describe('tracks', () => {
  it('take two bytes a frame, hold only speech, and lie where their part lies', async () => {
    const pcm = vowel(3, () => 200);
    const track = await trackVoice({ pcm, segments: [{ start: 1, end: 2 }], startSeconds: 100 });
    expect(track.length).toBe(16 + 2 * 60);
    const tracks = new VoiceTracks([track]);
    expect(tracks.between(100, 101)).toEqual([]);
    expect(tracks.between(101, 102)).toHaveLength(20);
    expect(tracks.between(102.01, 200)).toEqual([]);
  });

  it('follow one another, also where one is missing', async () => {
    const part = (hertz: number, startSeconds: number) =>
      trackVoice({ pcm: vowel(2, () => hertz), segments: [{ start: 0, end: 2 }], startSeconds });
    const tracks = new VoiceTracks([await part(100, 0), Buffer.alloc(0), await part(300, 4)]);
    const across = tracks.between(1, 5);
    expect(across).toHaveLength(40);
    expect(across[10]!.hertz).toBeCloseTo(100, -1);
    expect(across[30]!.hertz).toBeCloseTo(300, -1);
    expect(tracks.between(2, 4)).toEqual([]);
  });

  it('of something else are refused', () => {
    expect(() => new VoiceTracks([Buffer.from('something else altogether')])).toThrow(RangeError);
  });

  it('stop when they are told to', async () => {
    const stop = AbortSignal.abort(new Error('shutdown'));
    const pcm = vowel(12, () => 100);
    await expect(
      trackVoice({ pcm, segments: [{ start: 0, end: 12 }], startSeconds: 0 }, stop),
    ).rejects.toThrow('shutdown');
  });
});
