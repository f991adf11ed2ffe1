import type { Tone, ToneLabel, TranscriptSegment } from '@currawong/contracts';
import type { VoiceFrame, VoiceTracks } from './voice-track';

/** Fewer voiced frames than this (a quarter of a second) say nothing of pitch. */
const LEAST_VOICED_FRAMES = 5;
/** A label compares with what the speaker is usually like: so much speech is wanted to know that, */
const LEAST_SPEAKER_SECONDS = 10;
/** and so much to compare. */
const LEAST_SEGMENT_SECONDS = 1;
/** How far from the speaker's own usual one a measure counts. */
const SEMITONES = 2;
const DECIBELS = 3;
const RANGE_FACTOR = 1.3;
const RATE_FACTOR = 1.2;
/** So many of the four measures must point the same way, those that point the other way taken off. */
const AGREEING = 2;

/** What is measured of a stretch of speech before it is compared with anything. */
interface Measures {
  readonly seconds: number;
  readonly words: number;
  readonly pitchHertz: number | null;
  readonly rangeSemitones: number | null;
  /** dB of full scale. */
  readonly db: number | null;
}

export interface SpeakerTone {
  readonly seconds: number;
  readonly words: number;
  readonly tone: Tone | null;
}

/** How each segment of a transcript was spoken, and each speaker by and large. */
export function tones(
  segments: readonly TranscriptSegment[],
  tracks: VoiceTracks,
): { bySegment: (Tone | null)[]; bySpeaker: Map<string, SpeakerTone> } {
  const frames = segments.map((segment) => spokenFrames(segment, tracks));
  const measures = segments.map((segment, index) => measured([segment], frames[index]!));
  const everyone = median(frames.flat().map(({ db }) => db));
  const bySegment: (Tone | null)[] = segments.map(() => null);
  const bySpeaker = new Map<string, SpeakerTone>();
  for (const speaker of new Set(segments.map((segment) => segment.speaker))) {
    const own = [...segments.keys()].filter((index) => segments[index]!.speaker === speaker);
    const usual = measured(
      own.map((index) => segments[index]!),
      own.flatMap((index) => frames[index]!),
    );
    const usualRange = median(own.flatMap((index) => measures[index]!.rangeSemitones ?? []));
    const seconds = new Map<ToneLabel, number>();
    for (const index of own) {
      const label = labelOf(measures[index]!, usual, usualRange);
      bySegment[index] = toneOf(measures[index]!, usual.db, label);
      if (label) seconds.set(label, (seconds.get(label) ?? 0) + measures[index]!.seconds);
    }
    const [most] = [...seconds].sort(([, a], [, b]) => b - a);
    bySpeaker.set(speaker, {
      seconds: usual.seconds,
      words: usual.words,
      tone: toneOf(usual, everyone, most?.[0] ?? null),
    });
  }
  return { bySegment, bySpeaker };
}

/** Between words others may speak, or nobody. */
function spokenFrames({ words }: TranscriptSegment, tracks: VoiceTracks): VoiceFrame[] {
  return words.flatMap(({ start, end }) => tracks.between(start, end));
}

function measured(segments: readonly TranscriptSegment[], frames: readonly VoiceFrame[]): Measures {
  const semitones = frames.flatMap(({ hertz }) => (hertz === null ? [] : 12 * Math.log2(hertz)));
  const isVoiced = semitones.length >= LEAST_VOICED_FRAMES;
  return {
    seconds: segments.reduce((sum, { start, end }) => sum + end - start, 0),
    words: segments.reduce((sum, { words }) => sum + words.length, 0),
    pitchHertz: isVoiced ? 2 ** (median(semitones)! / 12) : null,
    // Single frames an octave off do not count.
    rangeSemitones: isVoiced ? quantile(semitones, 0.9)! - quantile(semitones, 0.1)! : null,
    db: median(frames.map(({ db }) => db)),
  };
}

function toneOf(is: Measures, usualDb: number | null, label: ToneLabel | null): Tone | null {
  if (is.db === null || usualDb === null) return null;
  return {
    pitch_hz: is.pitchHertz === null ? null : rounded(is.pitchHertz),
    pitch_range_semitones: is.rangeSemitones === null ? null : rounded(is.rangeSemitones),
    energy_db: rounded(is.db - usualDb),
    words_per_minute: wordsPerMinute(is),
    label,
  };
}

export function wordsPerMinute({ words, seconds }: { words: number; seconds: number }): number {
  return seconds > 0 ? Math.round((60 * words) / seconds) : 0;
}

/** Null where there is too little to compare, or to compare with. */
function labelOf(is: Measures, usual: Measures, usualRange: number | null): ToneLabel | null {
  if (usual.seconds < LEAST_SPEAKER_SECONDS || is.seconds < LEAST_SEGMENT_SECONDS) return null;
  if (is.pitchHertz === null || usual.pitchHertz === null || is.db === null || usual.db === null) return null;
  const votes =
    vote(12 * Math.log2(is.pitchHertz / usual.pitchHertz), SEMITONES) +
    vote(is.db - usual.db, DECIBELS) +
    vote(logarithm(is.rangeSemitones, usualRange), Math.log2(RANGE_FACTOR)) +
    vote(logarithm(is.words / is.seconds, usual.words / usual.seconds), Math.log2(RATE_FACTOR));
  return votes >= AGREEING ? 'animated' : votes <= -AGREEING ? 'calm' : 'neutral';
}

function vote(difference: number, threshold: number): number {
  return difference >= threshold ? 1 : difference <= -threshold ? -1 : 0;
}

function logarithm(value: number | null, usual: number | null): number {
  return value && usual ? Math.log2(value / usual) : 0;
}

function median(values: readonly number[]): number | null {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const ordered = Float64Array.from(values).sort();
  return ordered[Math.min(ordered.length - 1, Math.floor(share * ordered.length))]!;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
