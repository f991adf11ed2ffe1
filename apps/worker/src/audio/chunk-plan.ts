import { samplesIn, SAMPLES_PER_SECOND, type SpeechSegment } from './pcm';
import { detectSpeech, quietestSample, type VoiceActivityOptions } from './voice-activity';

export interface AudioChunk {
  readonly index: number;
  /** Where the chunk lies in the recording; exact to the sample. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** 16 kHz mono; the receiver may keep it. */
  readonly pcm: Int16Array;
  /** Where to listen; seconds from the beginning of `pcm`. */
  readonly segments: readonly SpeechSegment[];
  /** True for the one that ends with the recording. */
  readonly last: boolean;
}

export interface ChunkOptions {
  /** Longest chunk; default 240. */
  readonly chunkSeconds?: number;
  readonly voiceActivity?: VoiceActivityOptions;
}

/**
 * Cuts a recording, as it is decoded, into chunks that can be recognised apart from each other. Cuts fall in
 * the quietest half second of the last quarter of a chunk. Holds one chunk of samples and no more.
 */
export class ChunkCutter {
  private readonly window: Int16Array;
  private held = 0;
  private cutSamples = 0;
  private chunks = 0;

  constructor(private readonly options: ChunkOptions = {}) {
    this.window = new Int16Array(samplesIn(options.chunkSeconds ?? 240));
  }

  /** Samples received so far; after the last chunk, the exact length of the recording. */
  get totalSamples(): number {
    return this.cutSamples + this.held;
  }

  get durationSeconds(): number {
    return this.totalSamples / SAMPLES_PER_SECOND;
  }

  /** Yields each chunk as soon as it is known where it ends; nothing for an empty recording. */
  async *cut(
    blocks: AsyncIterable<Int16Array> | Iterable<Int16Array>,
  ): AsyncGenerator<AudioChunk, void, void> {
    for await (const block of blocks) {
      let taken = 0;
      while (taken < block.length) {
        // Only when more samples are there is a full window known not to be the last one.
        if (this.held === this.window.length) yield this.take(this.bestCut(), false);
        const part = block.subarray(taken, taken + this.window.length - this.held);
        this.window.set(part, this.held);
        this.held += part.length;
        taken += part.length;
      }
    }
    if (this.held > 0) yield this.take(this.held, true);
  }

  private bestCut(): number {
    return quietestSample(this.window, Math.floor(this.window.length * 0.75), this.window.length);
  }

  private take(samples: number, last: boolean): AudioChunk {
    const pcm = this.window.slice(0, samples);
    const chunk: AudioChunk = {
      index: this.chunks++,
      startSeconds: this.cutSamples / SAMPLES_PER_SECOND,
      endSeconds: (this.cutSamples + samples) / SAMPLES_PER_SECOND,
      pcm,
      segments: detectSpeech(pcm, this.options.voiceActivity),
      last,
    };
    this.window.copyWithin(0, samples, this.held);
    this.held -= samples;
    this.cutSamples += samples;
    return chunk;
  }
}
