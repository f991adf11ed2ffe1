import { setImmediate as breathe } from 'node:timers/promises';
import { PitchDetector } from 'pitchy';
import { SAMPLES_PER_SECOND, type SpeechSegment } from '../audio/pcm';

/** Frames lie this far apart. */
export const FRAMES_PER_SECOND = 20;
const HOP_SAMPLES = SAMPLES_PER_SECOND / FRAMES_PER_SECOND;
/** 64 ms: two periods of the lowest voice that is looked for. */
const WINDOW_SAMPLES = 1024;
/** Voices of speech; beyond these a period is taken for noise, or for half or twice the right one. */
const LOWEST_HERTZ = 60;
const HIGHEST_HERTZ = 500;
/** Of McLeod's method: how alike a window is to itself a period later, 0 to 1. */
const LEAST_CLARITY = 0.7;
/** And of its peaks the first is taken that is at least this share of the highest: lower, and overtones win. */
const PEAK_SHARE = 0.9;
/** Quieter than this, in dB of full scale, nothing is taken for a voice. */
const SILENCE_DB = -60;

/** A step of pitch is a quarter of a semitone, one of level half a decibel. */
const STEPS_PER_OCTAVE = 48;
const DB_PER_STEP = 0.5;
const MAGIC = Buffer.from('CWTRACK1', 'latin1');
const HEAD_BYTES = MAGIC.length + 8;

/** What a voice did in one frame. */
export interface VoiceFrame {
  /** Null where nothing is voiced. */
  readonly hertz: number | null;
  /** Root mean square, dB of full scale. */
  readonly db: number;
}

/**
 * Pitch and level of the speech in a part of a recording, 20 frames a second, as bytes that can be stored: two bytes a
 * frame, 144 kB an hour.
 *
 *   8 bytes      "CWTRACK1"
 *   float64      where the part begins in the recording, seconds; little-endian
 *   then         per frame one byte of pitch (0: none, else 1 + 48 steps an octave above 60 Hz) and one of level
 *                (half decibels above -127.5; 0 outside of speech)
 *
 * @param pcm 16 kHz mono
 * @param segments where there is speech; seconds from the beginning of `pcm`
 */
export async function trackVoice(
  part: {
    readonly pcm: Int16Array;
    readonly segments: readonly SpeechSegment[];
    readonly startSeconds: number;
  },
  signal?: AbortSignal,
): Promise<Buffer> {
  const { pcm, segments, startSeconds } = part;
  const frames = Math.ceil(pcm.length / HOP_SAMPLES);
  const track = Buffer.alloc(HEAD_BYTES + 2 * frames);
  MAGIC.copy(track);
  track.writeDoubleLE(startSeconds, MAGIC.length);
  const detector = PitchDetector.forFloat32Array(WINDOW_SAMPLES);
  detector.clarityThreshold = PEAK_SHARE;
  const window = new Float32Array(WINDOW_SAMPLES);
  let sinceBreath = 0;
  for (const { start, end } of segments) {
    const from = Math.max(0, Math.floor(start * FRAMES_PER_SECOND));
    const to = Math.min(frames, Math.ceil(end * FRAMES_PER_SECOND));
    for (let frame = from; frame < to; frame++) {
      fill(window, pcm, frame * HOP_SAMPLES + HOP_SAMPLES / 2 - WINDOW_SAMPLES / 2);
      const { pitch, level } = measured(window, detector);
      track[HEAD_BYTES + 2 * frame] = pitch;
      track[HEAD_BYTES + 2 * frame + 1] = level;
      // Others on this thread keep leases alive.
      if (++sinceBreath % 200 === 0) {
        await breathe();
        signal?.throwIfAborted();
      }
    }
  }
  return track;
}

/** Tracks of the parts of a recording, in order. */
export class VoiceTracks {
  private readonly parts: { readonly start: number; readonly frames: Buffer }[];

  /** @throws RangeError for bytes that are no track; empty ones stand for a part that could not be heard. */
  constructor(tracks: readonly Buffer[]) {
    this.parts = tracks
      .filter(({ length }) => length > 0)
      .map((bytes) => {
        if (bytes.length < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
          throw new RangeError('These bytes are no track of a voice.');
        return { start: bytes.readDoubleLE(MAGIC.length), frames: bytes.subarray(HEAD_BYTES) };
      });
  }

  /** The frames with sound whose middle lies in a stretch; seconds from the beginning of the recording. */
  between(start: number, end: number): VoiceFrame[] {
    const found: VoiceFrame[] = [];
    for (let index = this.firstAt(start); index < this.parts.length; index++) {
      const part = this.parts[index]!;
      if (part.start >= end) break;
      const count = part.frames.length / 2;
      const from = Math.max(0, Math.ceil((start - part.start) * FRAMES_PER_SECOND - 0.5));
      for (let frame = from; frame < count; frame++) {
        if (part.start + (frame + 0.5) / FRAMES_PER_SECOND >= end) break;
        const level = part.frames[2 * frame + 1]!;
        if (level > 0)
          found.push({ hertz: hertzOf(part.frames[2 * frame]!), db: level * DB_PER_STEP - 127.5 });
      }
    }
    return found;
  }

  /** The last part that does not begin after `start`; by halving, since a day has many parts and words. */
  private firstAt(start: number): number {
    let low = 0;
    let high = this.parts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.parts[middle]!.start <= start) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function measured(window: Float32Array, detector: PitchDetector<Float32Array>) {
  let squares = 0;
  for (const sample of window) squares += sample * sample;
  const db = 10 * Math.log10(squares / WINDOW_SAMPLES + 1e-13);
  const level = clamped(Math.round((db + 127.5) / DB_PER_STEP), 1, 255);
  if (db < SILENCE_DB) return { pitch: 0, level };
  const [hertz, clarity] = detector.findPitch(window, SAMPLES_PER_SECOND);
  const isVoice = clarity >= LEAST_CLARITY && hertz >= LOWEST_HERTZ && hertz <= HIGHEST_HERTZ;
  const step = 1 + Math.round(STEPS_PER_OCTAVE * Math.log2(hertz / LOWEST_HERTZ));
  return { pitch: isVoice ? clamped(step, 1, 255) : 0, level };
}

function hertzOf(step: number): number | null {
  return step === 0 ? null : LOWEST_HERTZ * 2 ** ((step - 1) / STEPS_PER_OCTAVE);
}

function fill(window: Float32Array, pcm: Int16Array, from: number): void {
  for (let index = 0; index < WINDOW_SAMPLES; index++) window[index] = (pcm[from + index] ?? 0) / 32768;
}

function clamped(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
