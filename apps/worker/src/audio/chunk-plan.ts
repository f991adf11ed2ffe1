import { samplesIn, SAMPLES_PER_SECOND, type SpeechSegment } from './pcm';
import { detectSpeech, pausesBetween, quietestSample, type VoiceActivityOptions } from './voice-activity';

export interface AudioChunk {
  readonly index: number;
  /** Where the chunk's samples lie in the recording; exact to the sample. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /**
   * The part that is this chunk's alone: what lies before and after it belongs to a neighbour and is heard by both,
   * because there was no silence to cut in. The own parts of all chunks are the recording.
   */
  readonly ownStartSeconds: number;
  readonly ownEndSeconds: number;
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
  /** Heard by both neighbours on each side of a border that is not in a silence; default 4, less in short chunks. */
  readonly overlapSeconds?: number;
  readonly voiceActivity?: VoiceActivityOptions;
}

/**
 * A chunk without what a neighbour hears as well: who speaks is told from every moment once.
 * @returns a view, not a copy
 */
export function ownPart(
  chunk: Omit<AudioChunk, 'index' | 'last' | 'endSeconds'>,
): Pick<AudioChunk, 'pcm' | 'segments' | 'startSeconds'> {
  const { pcm, segments, startSeconds, ownStartSeconds, ownEndSeconds } = chunk;
  const before = ownStartSeconds - startSeconds;
  const length = ownEndSeconds - ownStartSeconds;
  return {
    pcm: pcm.subarray(samplesIn(before), samplesIn(before + length)),
    segments: segments
      .map(({ start, end }) => ({ start: Math.max(0, start - before), end: Math.min(length, end - before) }))
      .filter(({ start, end }) => end > start),
    startSeconds: ownStartSeconds,
  };
}

/** A chunk may end from here on, as a share of the longest. */
const EARLIEST_CUT = 0.75;
/** Kept between a cut and the speech after it, where the pause has room. */
const LEAD_SAMPLES = samplesIn(0.5);

/** Samples of the window: where one chunk's own part ends, and how far it and its neighbour reach across. */
interface Cut {
  readonly at: number;
  readonly overlap: number;
}

/**
 * Cuts a recording, as it is decoded, into chunks that can be recognised apart from each other. A cut falls into a
 * pause in the last quarter of a chunk. Where nobody pauses it falls into the quietest half second, and both
 * neighbours hear some seconds on both sides of it. Holds one chunk of samples and no more.
 */
export class ChunkCutter {
  private readonly window: Int16Array;
  private readonly overlapSamples: number;
  /** Samples in the window, and where in the recording the first of them lies. */
  private held = 0;
  private windowStart = 0;
  /** Where the own part of the next chunk begins, in samples of the recording. */
  private ownStart = 0;
  private chunks = 0;

  constructor(private readonly options: ChunkOptions = {}) {
    const chunkSeconds = options.chunkSeconds ?? 240;
    this.window = new Int16Array(samplesIn(chunkSeconds));
    this.overlapSamples = samplesIn(Math.min(options.overlapSeconds ?? 4, chunkSeconds / 8));
  }

  /** Samples received so far; after the last chunk, the exact length of the recording. */
  get totalSamples(): number {
    return this.windowStart + this.held;
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
    if (this.held > 0) yield this.take({ at: this.held, overlap: 0 }, true);
  }

  private bestCut(): Cut {
    const from = Math.floor(this.window.length * EARLIEST_CUT);
    const end = this.window.length;
    const pauses = pausesBetween(this.window, from, end, this.options.voiceActivity);
    // Beyond twice the lead a longer pause is no better, and a later one makes the chunk longer.
    const worth = ({ fromSample, toSample }: (typeof pauses)[number]) =>
      Math.min(toSample - fromSample, 2 * LEAD_SAMPLES);
    const [best] = [...pauses].sort((a, b) => worth(b) - worth(a) || b.toSample - a.toSample);
    if (best && worth(best) >= LEAD_SAMPLES)
      return { at: best.toSample - Math.floor(worth(best) / 2), overlap: 0 };
    const overlap = this.overlapSamples;
    return { at: quietestSample(this.window, from, end - overlap), overlap };
  }

  private take({ at, overlap }: Cut, last: boolean): AudioChunk {
    const pcm = this.window.slice(0, at + overlap);
    const ownEnd = this.windowStart + at;
    const chunk: AudioChunk = {
      index: this.chunks++,
      startSeconds: this.windowStart / SAMPLES_PER_SECOND,
      endSeconds: (this.windowStart + pcm.length) / SAMPLES_PER_SECOND,
      ownStartSeconds: this.ownStart / SAMPLES_PER_SECOND,
      ownEndSeconds: ownEnd / SAMPLES_PER_SECOND,
      pcm,
      segments: detectSpeech(pcm, this.options.voiceActivity),
      last,
    };
    const gone = at - overlap;
    this.window.copyWithin(0, gone, this.held);
    this.held -= gone;
    this.windowStart += gone;
    this.ownStart = ownEnd;
    return chunk;
  }
}
