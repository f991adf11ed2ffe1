import { agglomerate, type Cluster } from './agglomerate';
import { Breather } from '../breather';
import type { SpeakerTurn, TurnsOptions } from '../diarizer';
import { COEFFICIENTS, FRAMES_PER_SECOND } from './cepstrum';
import { GaussianStatistics, likelihoodRatio } from './gaussian';
import { resegment, type ResegmentOptions } from './resegment';
import type { SpeakerFeatures, Stretch } from './speaker-features';

export interface DiarizeOptions extends TurnsOptions {
  readonly resegmentation?: Omit<ResegmentOptions, 'breather'>;
}

/**
 * Who spoke when, from the features of all chunks of a recording: windows of 1.5 s, merged bottom-up by the
 * Bayesian information criterion, then borders refined frame by frame. Takes one to two
 * thousandths of the recording's length and lets the event loop run meanwhile.
 * @throws RangeError for a number of speakers that makes no sense, or the signal's reason.
 */
export async function diarize(
  features: readonly SpeakerFeatures[],
  options: DiarizeOptions,
): Promise<SpeakerTurn[]> {
  const { numSpeakers, allowFewer = false, signal } = options;
  if (!Number.isInteger(numSpeakers) || numSpeakers < 1 || numSpeakers > 255) {
    throw new RangeError(`A recording cannot have ${numSpeakers} speakers`);
  }
  const breather = new Breather(signal);
  const { stretches, coefficients } = pooled(features);
  const labels = new Uint8Array(coefficients.length / COEFFICIENTS);
  if (numSpeakers > 1 && labels.length > 0) {
    normalise(coefficients);
    const windows = cutWindows(stretches);
    const clusters: Cluster[] = [];
    for (const [index, { from, to }] of windows.entries()) {
      await breather.breathe();
      clusters.push({ statistics: GaussianStatistics.of(coefficients, from, to), members: [index] });
    }
    const voices = await agglomerate(clusters, { count: numSpeakers, breather });
    voices.forEach((voice, speaker) => {
      for (const member of voice.members)
        labels.fill(speaker, windows[member]!.ownFrom, windows[member]!.ownTo);
    });
    for (let speakers = voices.length; speakers > 1; speakers--) {
      await resegment(coefficients, stretches, labels, speakers, { ...options.resegmentation, breather });
      if (!allowFewer || !(await mergeLookalikes(coefficients, labels, speakers, breather))) break;
    }
  }
  return turnsOf(stretches, labels);
}

const WINDOW_FRAMES = 150;
const HOP_FRAMES = 75;

/** Frames from..to are looked at; ownFrom..ownTo, which tile a stretch, get the label. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly ownFrom: number;
  readonly ownTo: number;
}

function cutWindows(stretches: readonly Stretch[]): Window[] {
  let first = 0;
  return stretches.flatMap(({ frames }) => {
    const begin = first;
    const end = (first += frames);
    const count = Math.max(1, Math.round((frames - WINDOW_FRAMES) / HOP_FRAMES) + 1);
    const hop = count > 1 ? (frames - WINDOW_FRAMES) / (count - 1) : 0;
    return Array.from({ length: count }, (_, index): Window => {
      const from = begin + Math.round(index * hop);
      const to = count === 1 ? end : Math.min(end, from + WINDOW_FRAMES);
      const middle = (at: number) => Math.round(begin + (at - 0.5) * hop + WINDOW_FRAMES / 2);
      return {
        from,
        to,
        ownFrom: index === 0 ? begin : middle(index),
        ownTo: index === count - 1 ? end : middle(index + 1),
      };
    });
  });
}

/**
 * Two voices differ, per frame, by more than one voice split in two does. The second number allows for how
 * much better two Gaussians fit a few frames by chance. Chosen between single voices (0.10 to 0.58 at 25 s)
 * and pairs, of which telephone-band ones come closest (0.64 to 1.3; wide-band ones 1 to 2.7).
 * Under about ten seconds the two cannot be told apart, and one voice may be split.
 */
const LOOKALIKE_RATIO = 0.48;
const LOOKALIKE_FRAMES = 320;

/** Makes the two most similar voices one where they are as alike as one voice is. @returns whether it did. */
async function mergeLookalikes(
  coefficients: Float32Array,
  labels: Uint8Array,
  speakers: number,
  breather: Breather,
): Promise<boolean> {
  const voices = Array.from({ length: speakers }, () => new GaussianStatistics());
  for (let from = 0, to = 0; from < labels.length; from = to) {
    await breather.breathe();
    while (to < labels.length && labels[to] === labels[from] && to - from < 1000) to++;
    voices[labels[from]!]!.add(GaussianStatistics.of(coefficients, from, to));
  }
  let closest = { margin: Infinity, kept: 0, gone: 0 };
  voices.forEach((a, kept) =>
    voices.slice(0, kept).forEach((b, gone) => {
      const frames = a.frames + b.frames;
      const margin = (likelihoodRatio(a, b) - LOOKALIKE_FRAMES) / Math.max(1, frames) - LOOKALIKE_RATIO;
      if (margin < closest.margin) closest = { margin, kept: gone, gone: kept };
    }),
  );
  if (closest.margin >= 0) return false;
  // The labels stay gapless: the last voice takes the number that became free.
  for (let frame = 0; frame < labels.length; frame++) {
    if (labels[frame] === closest.gone) labels[frame] = closest.kept;
    else if (labels[frame] === speakers - 1) labels[frame] = closest.gone;
  }
  return true;
}

function pooled(features: readonly SpeakerFeatures[]): SpeakerFeatures {
  const coefficients = new Float32Array(features.reduce((sum, part) => sum + part.coefficients.length, 0));
  const ordered = features
    .filter((part) => part.stretches.length > 0)
    .sort((a, b) => a.stretches[0]!.start - b.stretches[0]!.start);
  let offset = 0;
  for (const part of ordered) {
    coefficients.set(part.coefficients, offset);
    offset += part.coefficients.length;
  }
  return { stretches: ordered.flatMap((part) => part.stretches), coefficients };
}

/** Takes away what the whole recording has in common: microphone, room, line. In place. */
function normalise(coefficients: Float32Array): void {
  const frames = coefficients.length / COEFFICIENTS;
  for (let c = 0; c < COEFFICIENTS; c++) {
    let sum = 0;
    let squares = 0;
    for (let i = c; i < coefficients.length; i += COEFFICIENTS) {
      sum += coefficients[i]!;
      squares += coefficients[i]! ** 2;
    }
    const mean = sum / frames;
    const deviation = Math.sqrt(Math.max(squares / frames - mean * mean, 1e-6));
    for (let i = c; i < coefficients.length; i += COEFFICIENTS)
      coefficients[i] = (coefficients[i]! - mean) / deviation;
  }
}

function turnsOf(stretches: readonly Stretch[], labels: Uint8Array): SpeakerTurn[] {
  const turns: { start: number; end: number; speaker: number }[] = [];
  const numbers = new Map<number, number>();
  let first = 0;
  for (const { start, frames } of stretches) {
    let open: (typeof turns)[number] | undefined;
    for (let frame = 0; frame < frames; frame++) {
      const label = labels[first + frame]!;
      if (!numbers.has(label)) numbers.set(label, numbers.size + 1);
      const speaker = numbers.get(label)!;
      const time = start + frame / FRAMES_PER_SECOND;
      if (open?.speaker !== speaker) turns.push((open = { start: time, end: time, speaker }));
      open.end = time + 1 / FRAMES_PER_SECOND;
    }
    first += frames;
  }
  return turns;
}
