/** The one form in which audio moves through the worker: 16 kHz, one channel, signed 16 bit. */
export const SAMPLES_PER_SECOND = 16_000;

/** A stretch of sound that is taken to be speech; seconds from the beginning of the PCM it was found in. */
export interface SpeechSegment {
  readonly start: number;
  readonly end: number;
}

export function samplesIn(seconds: number): number {
  return Math.round(seconds * SAMPLES_PER_SECOND);
}

/** The samples of one segment: a view, not a copy. */
export function samplesOf(pcm: Int16Array, segment: SpeechSegment): Int16Array {
  return pcm.subarray(samplesIn(segment.start), Math.min(pcm.length, samplesIn(segment.end)));
}

/** The bytes behind samples, in little-endian order as on every platform that Node runs on here. */
export function bytesOf(pcm: Int16Array): Buffer {
  return Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
}
