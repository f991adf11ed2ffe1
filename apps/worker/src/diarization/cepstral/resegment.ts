import type { Breather } from '../breather';
import { Mixture } from './mixture';
import type { Stretch } from './speaker-features';

export interface ResegmentOptions {
  /** Rounds of fitting and decoding; default 3. */
  readonly rounds?: number;
  /** Log probability given up at a change of speaker inside a stretch; default 60. */
  readonly changePenalty?: number;
  /** The same between stretches, where a change is likelier; default 15. */
  readonly pausePenalty?: number;
  readonly mixtureComponents?: number;
  readonly breather: Breather;
}

/**
 * Moves the borders between speakers to where the sound changes: a mixture per speaker is fitted to the
 * present labels, then the likeliest sequence of speakers is found (A. J. Viterbi's algorithm), in turns.
 * @param labels speaker of every frame, 0 to `speakers` - 1; changed in place.
 */
export async function resegment(
  coefficients: Float32Array,
  stretches: readonly Stretch[],
  labels: Uint8Array,
  speakers: number,
  options: ResegmentOptions,
): Promise<void> {
  const { rounds = 3, changePenalty = 60, pausePenalty = 15, mixtureComponents = 8, breather } = options;
  const densities = new Float32Array(labels.length * speakers);
  for (let round = 0; round < rounds; round++) {
    for (let speaker = 0; speaker < speakers; speaker++) {
      const frames = framesOf(labels, speaker);
      // A speaker that the last round left without frames is not brought back by a model of nothing.
      if (frames.length < FEWEST_FRAMES) return;
      const components = Math.max(1, Math.min(mixtureComponents, Math.floor(frames.length / 60)));
      const mixture = await Mixture.fit(coefficients, frames, components, breather);
      for (let frame = 0; frame < labels.length; frame++) {
        if (frame % 512 === 0) await breather.breathe();
        densities[frame * speakers + speaker] = mixture.logDensity(coefficients, frame);
      }
    }
    const next = likeliestSpeakers(densities, stretches, speakers, changePenalty, pausePenalty);
    if (!everySpeakerIn(next, speakers)) return;
    labels.set(next);
  }
}

const FEWEST_FRAMES = 20;
/** More frames of one voice than this teach a mixture nothing new. */
const MOST_FRAMES = 12_000;

function framesOf(labels: Uint8Array, speaker: number): Uint32Array {
  const all = new Uint32Array(labels.length);
  let count = 0;
  for (let frame = 0; frame < labels.length; frame++) if (labels[frame] === speaker) all[count++] = frame;
  if (count <= MOST_FRAMES) return all.subarray(0, count);
  return Uint32Array.from({ length: MOST_FRAMES }, (_, i) => all[Math.floor((i * count) / MOST_FRAMES)]!);
}

function everySpeakerIn(labels: Uint8Array, speakers: number): boolean {
  return new Set(labels).size === speakers;
}

function likeliestSpeakers(
  densities: Float32Array,
  stretches: readonly Stretch[],
  speakers: number,
  changePenalty: number,
  pausePenalty: number,
): Uint8Array {
  const frames = densities.length / speakers;
  const cameFrom = new Uint8Array(densities.length);
  let scores = new Float64Array(speakers);
  let frame = 0;
  for (const stretch of stretches) {
    for (let within = 0; within < stretch.frames; within++, frame++) {
      const penalty = within === 0 ? pausePenalty : changePenalty;
      let best = 0;
      for (let speaker = 1; speaker < speakers; speaker++)
        if (scores[speaker]! > scores[best]!) best = speaker;
      const next = new Float64Array(speakers);
      for (let speaker = 0; speaker < speakers; speaker++) {
        const changes = scores[best]! - penalty > scores[speaker]!;
        cameFrom[frame * speakers + speaker] = changes ? best : speaker;
        next[speaker] =
          (changes ? scores[best]! - penalty : scores[speaker]!) + densities[frame * speakers + speaker]!;
      }
      scores = next;
    }
  }
  const labels = new Uint8Array(frames);
  let current = scores.indexOf(Math.max(...scores));
  for (let at = frames - 1; at >= 0; at--) {
    labels[at] = current;
    current = cameFrom[at * speakers + current]!;
  }
  return labels;
}
