import { SAMPLES_PER_SECOND, type SpeechSegment } from './pcm';

export interface VoiceActivityOptions {
  /** How far above the noise floor speech begins; default 9. */
  readonly onsetDecibels?: number;
  /** How far above the noise floor speech that has begun goes on; default 6. */
  readonly holdDecibels?: number;
  /** Kept before and after what was heard, where there is room; default 0.3. */
  readonly paddingSeconds?: number;
  /** Pauses shorter than this do not end a segment; default 0.6. */
  readonly mergeSeconds?: number;
  /** Longer segments are cut at their quietest place; default 20. */
  readonly longestSeconds?: number;
}

/**
 * Finds speech by energy against a noise floor that follows the recording. Sounds whose level hardly moves
 * (hiss, hum, tones) are left out however loud they are, because speech always rises and falls.
 * @param pcm 16 kHz mono samples, at most a chunk.
 * @returns segments in order, not overlapping, inside `pcm`.
 */
export function detectSpeech(pcm: Int16Array, options: VoiceActivityOptions = {}): SpeechSegment[] {
  const { paddingSeconds = 0.3, longestSeconds = 20 } = options;
  const { excess, speech } = speechRuns(pcm, options);
  const padding = Math.round(paddingSeconds * FRAMES_PER_SECOND);
  return padded(speech, padding, excess.length)
    .flatMap((run) => splitAtQuiet(excess, run, longestSeconds * FRAMES_PER_SECOND))
    .map(({ from, to }) => ({
      start: from / FRAMES_PER_SECOND,
      end: Math.min(to / FRAMES_PER_SECOND, pcm.length / SAMPLES_PER_SECOND),
    }));
}

/** A stretch without speech: samples from, inclusive, to, exclusive. */
export interface Pause {
  readonly fromSample: number;
  readonly toSample: number;
}

/** Speech before a part of a recording tells what is loud in it; this much is enough for the noise floor. */
const CONTEXT_SAMPLES = 10 * SAMPLES_PER_SECOND;

/**
 * Where there is no speech, for at least as long as it takes to end a segment.
 * @param pcm 16 kHz mono samples.
 * @returns the pauses between `fromSample` and `toSample`, cut off at both, in order.
 */
export function pausesBetween(
  pcm: Int16Array,
  fromSample: number,
  toSample: number,
  options: VoiceActivityOptions = {},
): Pause[] {
  // On the border of a frame, so that frames stay where they are.
  const before = Math.max(0, Math.floor((fromSample - CONTEXT_SAMPLES) / FRAME_SAMPLES) * FRAME_SAMPLES);
  const { excess, speech } = speechRuns(pcm.subarray(before, toSample), options);
  const shortest = mergeFrames(options);
  const pauses: Pause[] = [];
  let from = 0;
  for (const run of [...speech, { from: excess.length, to: excess.length }]) {
    if (run.from - from >= shortest) {
      const start = Math.max(fromSample, before + from * FRAME_SAMPLES);
      const end = Math.min(toSample, before + run.from * FRAME_SAMPLES);
      if (end > start) pauses.push({ fromSample: start, toSample: end });
    }
    from = run.to;
  }
  return pauses;
}

function mergeFrames({ mergeSeconds = 0.6 }: VoiceActivityOptions): number {
  return mergeSeconds * FRAMES_PER_SECOND;
}

function speechRuns(pcm: Int16Array, options: VoiceActivityOptions): { excess: Float32Array; speech: Run[] } {
  // Voiced sounds stand out of white noise in the full band, hissing ones out of hum in the upper one.
  const bands = [frameLevels(pcm, FULL_BAND), frameLevels(pcm, UPPER_BAND)];
  const excess = excessOverNoise(bands);
  const loud = loudRuns(excess, options.onsetDecibels ?? 9, options.holdDecibels ?? 6);
  const speech = joined(loud, mergeFrames(options)).filter((run) => soundsLikeSpeech(bands, excess, run));
  return { excess, speech };
}

/**
 * The middle of the quietest half second.
 * @param pcm 16 kHz mono samples.
 * @returns the sample at which a cut does the least harm, between `fromSample` and `toSample`.
 */
export function quietestSample(pcm: Int16Array, fromSample: number, toSample: number): number {
  const levels = frameLevels(pcm.subarray(fromSample, toSample), FULL_BAND);
  return fromSample + quietestFrame(levels, 0, levels.length, 50) * FRAME_SAMPLES;
}

export const FRAMES_PER_SECOND = 100;
const FRAME_SAMPLES = SAMPLES_PER_SECOND / FRAMES_PER_SECOND;

/** Frames from, inclusive, to, exclusive. */
interface Run {
  from: number;
  to: number;
}

/** Levels below this are taken as silence: the hiss of a 16-bit recording with nothing in it. */
const SILENCE_DECIBELS = -72;

/** Memory of the first-order filter that takes the lowest sounds away; see `frameLevels`. */
const FULL_BAND = 0.95;
const UPPER_BAND = 0;

/**
 * Level of every 10 ms in dB below full scale, averaged over 50 ms, after a difference filter with feedback:
 * with 0.95 what lies below about 130 Hz is lost (hum and rumble, which carry much energy and no speech);
 * with none the level rises with frequency, so that hissing sounds count.
 */
function frameLevels(pcm: Int16Array, feedback: number): Float32Array {
  const frames = Math.ceil(pcm.length / FRAME_SAMPLES);
  const powers = new Float32Array(frames);
  let previous = pcm[0] ?? 0;
  let filtered = 0;
  for (let frame = 0; frame < frames; frame++) {
    const from = frame * FRAME_SAMPLES;
    const to = Math.min(from + FRAME_SAMPLES, pcm.length);
    let sum = 0;
    for (let i = from; i < to; i++) {
      const sample = pcm[i]!;
      filtered = sample - previous + feedback * filtered;
      sum += filtered * filtered;
      previous = sample;
    }
    powers[frame] = sum / (to - from) / 32768 ** 2;
  }
  const levels = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0;
    let count = 0;
    for (let near = Math.max(0, frame - 2); near <= Math.min(frames - 1, frame + 2); near++) {
      sum += powers[near]!;
      count++;
    }
    levels[frame] = Math.max(SILENCE_DECIBELS, 10 * Math.log10(sum / count + 1e-12));
  }
  return levels;
}

/** The level that a tenth of the surrounding ten seconds stays under, per frame. */
function noiseFloor(levels: Float32Array): Float32Array {
  const reach = 5 * FRAMES_PER_SECOND;
  const step = FRAMES_PER_SECOND / 2;
  const floor = new Float32Array(levels.length);
  for (let from = 0; from < levels.length; from += step) {
    const around = levels.slice(Math.max(0, from - reach), from + step + reach).sort();
    floor.fill(around[Math.floor(around.length / 10)]!, from, from + step);
  }
  return floor;
}

/** How far each frame rises above the noise, in dB, in the band where it rises most. */
function excessOverNoise(bands: readonly Float32Array[]): Float32Array {
  const excess = new Float32Array(bands[0]!.length);
  for (const levels of bands) {
    const floor = noiseFloor(levels);
    for (let frame = 0; frame < excess.length; frame++) {
      excess[frame] = Math.max(excess[frame]!, levels[frame]! - floor[frame]!);
    }
  }
  return excess;
}

function loudRuns(excess: Float32Array, onset: number, hold: number): Run[] {
  const runs: Run[] = [];
  let current: Run | undefined;
  for (let frame = 0; frame < excess.length; frame++) {
    const above = excess[frame]!;
    if (!current && above >= onset) {
      current = { from: frame, to: frame };
      // Speech fades in: what led up to the onset belongs to it.
      while (current.from > 0 && excess[current.from - 1]! >= hold) current.from--;
      runs.push(current);
    }
    if (current) {
      if (above < hold) current = undefined;
      else current.to = frame + 1;
    }
  }
  return runs;
}

function joined(runs: readonly Run[], gapFrames: number): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last && run.from - last.to < gapFrames) last.to = run.to;
    else result.push({ ...run });
  }
  return result;
}

const SHORTEST_SPEECH_FRAMES = 10;
const STEADY_DECIBELS = 5;

function soundsLikeSpeech(bands: readonly Float32Array[], excess: Float32Array, run: Run): boolean {
  return bands.some((levels) => {
    const loud: number[] = [];
    for (let frame = run.from; frame < run.to; frame++) if (excess[frame]! >= 3) loud.push(levels[frame]!);
    if (loud.length < SHORTEST_SPEECH_FRAMES) return false;
    loud.sort((a, b) => a - b);
    // The outermost frames are the rise and fall of any sound, however steady it is in between.
    const spread = loud[Math.floor(loud.length * 0.9)]! - loud[Math.floor(loud.length * 0.15)]!;
    return spread >= STEADY_DECIBELS;
  });
}

function padded(runs: readonly Run[], padding: number, frames: number): Run[] {
  return runs.map((run, index) => {
    const before = runs[index - 1]?.to;
    const after = runs[index + 1]?.from;
    return {
      from: Math.max(0, run.from - padding, before === undefined ? 0 : Math.ceil((before + run.from) / 2)),
      to: Math.min(frames, run.to + padding, after === undefined ? frames : Math.floor((run.to + after) / 2)),
    };
  });
}

function splitAtQuiet(levels: Float32Array, run: Run, longestFrames: number): Run[] {
  if (run.to - run.from <= longestFrames) return [run];
  // Never so early that a tail of a few words is left, and never so late that the piece is too long.
  const latest = Math.min(run.from + longestFrames, run.to - FRAMES_PER_SECOND);
  const cut = quietestFrame(levels, run.from + Math.floor(longestFrames / 2), latest, 15);
  return [{ from: run.from, to: cut }, ...splitAtQuiet(levels, { from: cut, to: run.to }, longestFrames)];
}

/** Middle of the window of `width` frames with the least energy within from..to. */
function quietestFrame(levels: Float32Array, from: number, to: number, width: number): number {
  let best = from;
  let least = Infinity;
  for (let start = from; start + width <= to; start++) {
    let sum = 0;
    for (let frame = start; frame < start + width; frame++) sum += levels[frame]!;
    if (sum < least) {
      least = sum;
      best = start + Math.floor(width / 2);
    }
  }
  return least === Infinity ? Math.floor((from + to) / 2) : best;
}
