import type { TranscriptWord } from '@currawong/contracts';
import type { SpeechSegment } from '../audio/pcm';

export interface RecognizeOptions {
  /** A code out of `languages`, or `auto` where the engine detects it. */
  readonly language: string;
  /** Comma-separated words and phrases that the speaker is likely to use; engines may ignore it. */
  readonly prompt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with 0 to 1 as segments are done. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** What was heard in a chunk. */
export interface Recognition {
  /** In order of time; seconds from the beginning of the chunk. */
  readonly words: TranscriptWord[];
  /** The language that was asked for, or the one that most of the chunk was found to be in; null where nothing was said. */
  readonly language: string | null;
}

/** A speech engine. One instance serves many recordings, also several at a time. Every engine gives the times of words. */
export interface Recognizer {
  readonly name: string;
  readonly version: string;
  /** Which weights, exactly; null where there are none. */
  readonly model: string | null;
  /** ISO 639 codes. */
  readonly languages: readonly string[];
  /** Whether `auto` may be asked for. */
  readonly detectsLanguage: boolean;
  /** Whether words carry a confidence. */
  readonly givesConfidence: boolean;
  /**
   * @param pcm 16 kHz mono samples of one chunk.
   * @param segments where to listen; seconds from the beginning of `pcm`.
   * @throws EngineCrashed when the engine died or hung on this request (another attempt may succeed),
   *   or the signal's reason.
   */
  recognize(
    pcm: Int16Array,
    segments: readonly SpeechSegment[],
    options: RecognizeOptions,
  ): Promise<Recognition>;
  /** Ends the engine; requests under way are rejected. */
  close(): Promise<void>;
}

/** The engine was lost while it worked on a request. Only that request is lost; the engine comes back. */
export class EngineCrashed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EngineCrashed';
  }
}

/** The engine is a server that cannot be reached or is not set up properly: nothing is wrong with the recording. */
export class EngineUnavailable extends Error {
  override readonly name: string = 'EngineUnavailable';
}

/** Words of a chunk moved to where the chunk lies in its recording. */
export function wordsFrom(startSeconds: number, words: readonly TranscriptWord[]): TranscriptWord[] {
  const moved = (seconds: number) => Math.round((seconds + startSeconds) * 1000) / 1000;
  return words.map((word) => ({ ...word, start: moved(word.start), end: moved(word.end) }));
}
