import type { SpeechSegment } from '../audio/pcm';

/** Who spoke from when to when: seconds from the beginning of the recording, speakers counted from 1. Turns may overlap. */
export interface SpeakerTurn {
  readonly start: number;
  readonly end: number;
  readonly speaker: number;
}

export interface ObservedChunk {
  /** 16 kHz mono samples. */
  readonly pcm: Int16Array;
  /** Where there is speech; seconds from the beginning of `pcm`. */
  readonly segments: readonly SpeechSegment[];
  /** Where the chunk lies in the recording. */
  readonly startSeconds: number;
}

export interface TurnsOptions {
  /** How many voices to tell apart; exactly so many are found where there is enough speech. */
  readonly numSpeakers: number;
  /** Find fewer where the voices found are as alike as one voice is to itself: for a number nobody asked for. */
  readonly allowFewer?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tells voices apart, in two steps: chunks may be heard by different workers, but who is who is decided once, over the
 * whole recording.
 */
export interface Diarizer {
  readonly name: string;
  readonly version: string;
  /** @returns what has to be known of a chunk's voices, in a format of the diarizer's own; travels through the store */
  observe(chunk: ObservedChunk, signal?: AbortSignal): Promise<Buffer>;
  /**
   * @param observations those of all chunks of a recording, in order; an empty buffer for a chunk that could not be observed.
   * @throws RangeError for a number of speakers that makes no sense or bytes of another diarizer, or the signal's reason.
   */
  turns(observations: readonly Buffer[], options: TurnsOptions): Promise<SpeakerTurn[]>;
  close(): Promise<void>;
}
