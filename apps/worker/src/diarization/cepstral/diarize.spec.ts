import { seededRandom } from '../../audio/synthetic-sound';
import { diarizationErrors } from '../../quality/diarization-error-rate';
import { COEFFICIENTS } from './cepstrum';
import { diarize } from './diarize';
import { decodeFeatures, encodeFeatures, type SpeakerFeatures } from './speaker-features';

interface Turn {
  readonly voice: number;
  readonly seconds: number;
}

/**
 * Features of made-up voices: each has a mean and a spread of its own, on top of "sounds" that all voices
 * have in common and that change several times a second. Turns follow each other at 0.5 s.
 */
function featuresOf(turns: readonly Turn[], apart = 1.2, startSeconds = 0): SpeakerFeatures {
  const random = seededRandom(11);
  const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random());
  const vector = (scale: number) => Array.from({ length: COEFFICIENTS }, () => scale * normal());
  const sounds = Array.from({ length: 8 }, () => vector(1));
  const voices = Array.from({ length: 5 }, () => vector(apart));
  const values: number[] = [];
  let start = startSeconds;
  const stretches = turns.map(({ voice, seconds }) => {
    const frames = Math.round(seconds * 100);
    for (let frame = 0; frame < frames; frame++) {
      const sound = sounds[Math.floor(frame / 12 + random()) % sounds.length]!;
      for (let c = 0; c < COEFFICIENTS; c++)
        values.push(10 * (sound[c]! + voices[voice]![c]! + 0.6 * normal()));
    }
    const stretch = { start, frames };
    start += seconds + 0.5;
    return stretch;
  });
  return { stretches, coefficients: Float32Array.from(values) };
}

const reference = (turns: readonly Turn[]) => {
  let start = 0;
  return turns.map(({ voice, seconds }) => {
    const turn = { start, end: start + seconds, speaker: voice };
    start += seconds + 0.5;
    return turn;
  });
};

const dialogue: Turn[] = [3, 2, 4, 1.2, 5, 2.5, 3, 6, 2, 4].map((seconds, index) => ({
  voice: index % 2,
  seconds,
}));
const round: Turn[] = [3, 4, 2.5, 5, 3, 2, 4, 3, 6, 3, 2, 4].map((seconds, index) => ({
  voice: index % 4,
  seconds,
}));

describe('diarization', () => {
  it('tells two voices apart', async () => {
    const turns = await diarize([featuresOf(dialogue)], { numSpeakers: 2 });
    expect(diarizationErrors(reference(dialogue), turns, { collarSeconds: 0 }).rate).toBeLessThan(0.02);
  });

  it.each([1, 2, 3, 4])('finds exactly as many voices as asked for: %i', async (numSpeakers) => {
    const turns = await diarize([featuresOf(round)], { numSpeakers });
    expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(numSpeakers);
  });

  it('tells four voices apart', async () => {
    const turns = await diarize([featuresOf(round)], { numSpeakers: 4 });
    expect(diarizationErrors(reference(round), turns, { collarSeconds: 0 }).rate).toBeLessThan(0.02);
  });

  it('finds a change of voice inside a stretch without a pause', async () => {
    const { stretches, coefficients } = featuresOf(dialogue);
    const frames = stretches.reduce((sum, stretch) => sum + stretch.frames, 0);
    const turns = await diarize([{ stretches: [{ start: 0, frames }], coefficients }], { numSpeakers: 2 });
    let start = 0;
    const gapless = dialogue.map(({ voice, seconds }) => ({
      start,
      end: (start += seconds),
      speaker: voice,
    }));
    expect(diarizationErrors(gapless, turns, { collarSeconds: 0.25 }).rate).toBeLessThan(0.02);
  });

  it('leaves one voice whole where fewer than asked for are allowed, and splits it where not', async () => {
    const monologue = dialogue.map((turn) => ({ ...turn, voice: 0 }));
    const speakers = async (turns: readonly Turn[], allowFewer: boolean) =>
      new Set(
        (await diarize([featuresOf(turns)], { numSpeakers: 2, allowFewer })).map(({ speaker }) => speaker),
      ).size;
    expect(await speakers(monologue, true)).toBe(1);
    expect(await speakers(monologue, false)).toBe(2);
    expect(await speakers(dialogue, true)).toBe(2);
  });

  it('numbers speakers in order of appearance and keeps turns in order of time', async () => {
    const turns = await diarize([featuresOf([...dialogue].reverse())], { numSpeakers: 2 });
    expect(turns[0]!.speaker).toBe(1);
    expect(turns.map(({ start }) => start)).toEqual(turns.map(({ start }) => start).sort((a, b) => a - b));
  });

  it('recognises a voice across chunks, in whatever order they arrive', async () => {
    const chunk = featuresOf(dialogue);
    const later = featuresOf(dialogue, 1.2, 100);
    const turns = await diarize([later, chunk], { numSpeakers: 2 });
    const speakerAt = (time: number) => turns.find(({ start, end }) => start <= time && time < end)?.speaker;
    expect(speakerAt(1)).toBe(1);
    expect(speakerAt(101)).toBe(1);
    expect(speakerAt(4)).toBe(2);
    expect(speakerAt(104)).toBe(2);
  });

  it('gives no turns for a recording without speech, and one voice where there is too little', async () => {
    const nothing = { stretches: [], coefficients: new Float32Array(0) };
    expect(await diarize([nothing], { numSpeakers: 2 })).toEqual([]);
    expect(await diarize([], { numSpeakers: 2 })).toEqual([]);
    expect(await diarize([featuresOf([{ voice: 0, seconds: 0.4 }])], { numSpeakers: 3 })).toHaveLength(1);
  });

  it('merges thousands of windows in groups and still tells the voices apart', async () => {
    const long = Array.from({ length: 24 }, () => dialogue).flat();
    const turns = await diarize([featuresOf(long)], { numSpeakers: 2 });
    const wrong = reference(long).filter(({ start, end, speaker }) => {
      const middle = (start + end) / 2;
      return turns.find((turn) => turn.start <= middle && middle < turn.end)?.speaker !== speaker + 1;
    });
    expect(wrong).toEqual([]);
  });

  it('lets other work run meanwhile, and stops when it is told to', async () => {
    const long = Array.from({ length: 20 }, () => dialogue).flat();
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('cancelled')), 50);
    await expect(diarize([featuresOf(long)], { numSpeakers: 2, signal: abort.signal })).rejects.toThrow(
      'cancelled',
    );
  });

  it.each([0, -1, 1.5, NaN, 300])('refuses %p speakers', async (numSpeakers) => {
    await expect(diarize([featuresOf(dialogue)], { numSpeakers })).rejects.toThrow(RangeError);
  });
});

describe('speaker features', () => {
  it('survive the object store with the turns unchanged', async () => {
    const features = featuresOf(dialogue);
    const stored = encodeFeatures(features);
    expect(stored.length).toBeLessThan(features.coefficients.length * 1.1 + 500);
    const restored = decodeFeatures(stored);
    expect(restored.stretches).toEqual(features.stretches);
    expect(await diarize([restored], { numSpeakers: 2 })).toEqual(
      await diarize([features], { numSpeakers: 2 }),
    );
  });

  it('of silence are empty and survive too', () => {
    const nothing = { stretches: [], coefficients: new Float32Array(0) };
    expect(decodeFeatures(encodeFeatures(nothing))).toEqual(nothing);
  });

  it('refuse bytes that are something else or cut short', () => {
    expect(() => decodeFeatures(Buffer.from('not features'))).toThrow(RangeError);
    expect(() => decodeFeatures(encodeFeatures(featuresOf(dialogue)).subarray(0, -1))).toThrow(RangeError);
  });
});
