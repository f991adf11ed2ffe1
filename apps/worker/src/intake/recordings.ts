import {
  ChunkCut,
  objectKeys,
  RecognizedChunk,
  TranscriptDocument,
  type Analysis,
  type AssembleWork,
  type Chunk,
  type EngineIdentity,
  type PayloadOf,
  type PrepareWork,
  type RecognizeWork,
  type WholeWork,
  type WorkOutcome,
} from '@currawong/contracts';
import { Publisher } from '@currawong/messaging';
import { ObjectNotFound, ObjectStore } from '@currawong/object-store';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { analysedIfPossible } from '../analysis/analyse';
import { trackVoice } from '../analysis/voice-track';
import { ChunkCutter, ownPart, type AudioChunk } from '../audio/chunk-plan';
import { bytesOf, SAMPLES_PER_SECOND, type SpeechSegment } from '../audio/pcm';
import { WORKER_CONFIG, type WorkerConfig } from '../config';
import type { Diarizer, SpeakerTurn, TurnsOptions } from '../diarization/diarizer';
import { countRecognition, timed } from '../metrics';
import { languageOfMostWords } from '../recognition/by-segment';
import {
  wordsFrom,
  type Recognition,
  type Recognizer,
  type RecognizeOptions,
} from '../recognition/recognizer';
import { composeTranscript } from '../report/compose-transcript';
import { stitched } from '../report/stitch';
import { together } from '../together';
import type { AttemptContext } from './attempt';
import { persistently } from './persistently';
import { SourceAudio } from './source-audio';
import { encodeVoices } from './voices-file';

/** Told apart at most where the client said no number. */
const DEFAULT_SPEAKERS = 2;

/** As many voices as the client said, exactly; fewer too where it said none. */
export function asAskedFor(numSpeakers: number | null, signal: AbortSignal): TurnsOptions {
  return { numSpeakers: numSpeakers ?? DEFAULT_SPEAKERS, allowFewer: numSpeakers === null, signal };
}
/** A chunk's samples, words and features are far below this; more means that the object is not what it should be. */
const MAX_CHUNK_BYTES = 64_000_000;

/** The engines that the configuration chose. */
export const RECOGNIZER = Symbol('Recognizer');
export const DIARIZER = Symbol('Diarizer');

type Recording = PayloadOf<typeof WholeWork>;

export const NO_VOICES = 'The speakers could not all be told apart; some words may be under the wrong one.';

/** What one chunk was heard to contain. */
interface HeardChunk {
  recognized: RecognizedChunk;
  /** What the diarizer noted of its voices; empty where it could not. */
  voices: Buffer;
}

/** The stages of a recording, each from the objects that the one before left to those that the next one wants. */
@Injectable()
export class Recordings {
  private readonly log = new Logger(Recordings.name);

  constructor(
    @Inject(WORKER_CONFIG) private readonly config: WorkerConfig,
    @Inject(RECOGNIZER) private readonly recognizer: Recognizer,
    @Inject(DIARIZER) private readonly diarizer: Diarizer,
    private readonly source: SourceAudio,
    private readonly store: ObjectStore,
    private readonly publisher: Publisher,
  ) {}

  /** A short recording from its bytes to its transcript; one that turns out long is only prepared. */
  whole(work: Recording, context: AttemptContext): Promise<WorkOutcome> {
    return this.withDecoded(work, context, async (cutter, pcm) => {
      const chunks = cutter.cut(pcm);
      const first = await chunks.next();
      if (!first.done && !first.value.last)
        return this.storeChunks(work, cutter, first.value, chunks, context);
      const heard = first.done ? [] : [await this.hear(first.value, work, context)];
      return this.compose(work, cutter.durationSeconds, heard, context);
    });
  }

  /** Cuts a long recording; each chunk can be recognized as soon as it is stored. */
  prepare(work: PayloadOf<typeof PrepareWork>, context: AttemptContext): Promise<WorkOutcome> {
    return this.withDecoded(work, context, async (cutter, pcm) => {
      const chunks = cutter.cut(pcm);
      const first = await chunks.next();
      if (first.done) return this.compose(work, 0, [], context);
      return this.storeChunks(work, cutter, first.value, chunks, context);
    });
  }

  async recognize(work: PayloadOf<typeof RecognizeWork>, context: AttemptContext): Promise<WorkOutcome> {
    const { chunk, job_id, attempt } = work;
    const bytes = await this.read(chunk.audio_key, context.signal);
    const heard = await this.hear(
      {
        index: chunk.index,
        startSeconds: chunk.start_seconds,
        endSeconds: chunk.end_seconds,
        ownStartSeconds: chunk.own_start_seconds ?? chunk.start_seconds,
        ownEndSeconds: chunk.own_end_seconds ?? chunk.end_seconds,
        // The copy gives the samples the even address that a typed array needs.
        pcm: new Int16Array(new Uint8Array(bytes).buffer),
        segments: chunk.speech,
      },
      work,
      context,
    );
    const wordsKey = objectKeys.recognizedWords(job_id, chunk.index, attempt);
    const voicesKey = objectKeys.chunkVoices(job_id, chunk.index, attempt);
    await Promise.all([
      this.putJson(wordsKey, heard.recognized, context.signal),
      this.put(voicesKey, heard.voices, 'application/octet-stream', context.signal),
    ]);
    return { kind: 'recognized' };
  }

  async assemble(work: PayloadOf<typeof AssembleWork>, context: AttemptContext): Promise<WorkOutcome> {
    const heard: HeardChunk[] = [];
    for (const [index, attempt] of work.chunk_attempts.entries()) {
      const [words, voices] = await Promise.all([
        this.read(objectKeys.recognizedWords(work.job_id, index, attempt), context.signal),
        this.storedVoices(work.job_id, index, attempt, context.signal),
      ]);
      const recognized = RecognizedChunk.parse(JSON.parse(words.toString('utf8')));
      const warnings = voices.length > 0 ? [] : [NO_VOICES];
      heard.push({ recognized: { ...recognized, warnings: [...recognized.warnings, ...warnings] }, voices });
    }
    return this.compose(work, work.duration_seconds, heard, context);
  }

  /** Empty where nothing is stored, as of a chunk that a worker of the release before has recognized without it. */
  private async storedVoices(
    jobId: string,
    index: number,
    attempt: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    for (const key of [objectKeys.chunkVoices, objectKeys.chunkFeatures]) {
      try {
        return await this.read(key(jobId, index, attempt), signal);
      } catch (error) {
        if (!(error instanceof ObjectNotFound)) throw error;
      }
    }
    return Buffer.alloc(0);
  }

  private withDecoded(
    work: Recording,
    { signal }: AttemptContext,
    act: (cutter: ChunkCutter, pcm: AsyncIterable<Int16Array>) => Promise<WorkOutcome>,
  ): Promise<WorkOutcome> {
    const cutter = new ChunkCutter({ chunkSeconds: this.config.CHUNK_SECONDS });
    return this.source.decoded(work, signal, (pcm) => act(cutter, pcm));
  }

  private async storeChunks(
    work: Recording,
    cutter: ChunkCutter,
    first: AudioChunk,
    rest: AsyncIterable<AudioChunk>,
    { signal, progress }: AttemptContext,
  ): Promise<WorkOutcome> {
    await this.storeChunk(work, first, signal);
    let chunks = 1;
    for await (const chunk of rest) {
      await this.storeChunk(work, chunk, signal);
      chunks++;
      progress(chunk.endSeconds / Math.max(work.declared_seconds, chunk.endSeconds));
    }
    return { kind: 'prepared', duration_seconds: cutter.durationSeconds, chunks };
  }

  private async storeChunk(
    work: Recording,
    { index, startSeconds, endSeconds, ownStartSeconds, ownEndSeconds, pcm, segments }: AudioChunk,
    signal: AbortSignal,
  ): Promise<void> {
    const { job_id, item_id, attempt } = work;
    const chunk: Chunk = {
      index,
      start_seconds: startSeconds,
      end_seconds: endSeconds,
      own_start_seconds: ownStartSeconds,
      own_end_seconds: ownEndSeconds,
      audio_key: objectKeys.chunkAudio(job_id, index, attempt),
      speech: segments.map(({ start, end }) => ({ start, end })),
    };
    await this.put(chunk.audio_key, bytesOf(pcm), 'application/octet-stream', signal);
    const messageId = `${item_id}:${attempt}:chunk:${index}`;
    await persistently(signal, () =>
      this.publisher.publish(ChunkCut, { job_id, item_id, attempt, chunk }, { messageId }),
    );
  }

  /** Words and voices of one chunk, with times that count from the beginning of the recording. */
  private async hear(
    chunk: Omit<AudioChunk, 'last' | 'segments'> & { segments: readonly SpeechSegment[] },
    options: { language: string; prompt: string; analysis: Analysis | null },
    { signal, progress }: AttemptContext,
  ): Promise<HeardChunk> {
    const { language, prompt, analysis } = options;
    const [{ words, language: spoken }, voices, voiceTrack] = await together(signal, (either) => [
      this.words(chunk, { language, prompt, signal: either, onProgress: progress }),
      timed('diarize', () => this.voices(ownPart(chunk), either)),
      analysis === null ? Promise.resolve(undefined) : this.voiceTrack(ownPart(chunk), either),
    ]);
    return {
      recognized: {
        version: 1,
        chunkIndex: chunk.index,
        startSeconds: chunk.startSeconds,
        endSeconds: chunk.endSeconds,
        language: spoken,
        words: wordsFrom(chunk.startSeconds, words),
        warnings: voices ? [] : [NO_VOICES],
        engine: this.engine,
        ...(voiceTrack === undefined ? {} : { voiceTrack }),
      },
      voices: voices ?? Buffer.alloc(0),
    };
  }

  private async words(
    { pcm, segments }: { pcm: Int16Array; segments: readonly SpeechSegment[] },
    options: RecognizeOptions,
  ): Promise<Recognition> {
    this.checkLanguage(options.language);
    const startedAtMs = performance.now();
    const heard = await timed('recognize', () => this.recognizer.recognize(pcm, segments, options));
    const seconds = (performance.now() - startedAtMs) / 1_000;
    countRecognition(this.recognizer.name, pcm.length / SAMPLES_PER_SECOND, seconds);
    return heard;
  }

  /**
   * The gateway accepts what all engines know, but a worker may have come up with a lesser one since: an engine that does
   * not know a language would answer in its own. Another attempt may find another worker.
   */
  private checkLanguage(language: string): void {
    const { name, languages, detectsLanguage } = this.recognizer;
    if (language === 'auto' ? detectsLanguage : languages.includes(language)) return;
    throw new Error(`The engine ${name} of this worker does not know the language ${language}`);
  }

  private get engine(): EngineIdentity {
    const { name, version, model } = this.recognizer;
    return { name, version, model };
  }

  /** Words without a speaker are better than none: a failure here is told in the chunk's warnings. */
  private async voices(
    chunk: Pick<AudioChunk, 'pcm' | 'segments' | 'startSeconds'>,
    signal: AbortSignal,
  ): Promise<Buffer | null> {
    try {
      return await this.diarizer.observe(chunk, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.log.error(`no voices found from ${chunk.startSeconds} s: ${String(error)}`);
      return null;
    }
  }

  /** Empty where it cannot be found: a transcript without tone is better than none. */
  private async voiceTrack(part: Parameters<typeof trackVoice>[0], signal: AbortSignal): Promise<string> {
    try {
      return (await timed('analyse', () => trackVoice(part, signal))).toString('base64');
    } catch (error) {
      signal.throwIfAborted();
      this.log.error(`no tone found from ${part.startSeconds} s: ${String(error)}`);
      return '';
    }
  }

  private withAnalysis(transcript: TranscriptDocument, tracks: readonly Buffer[]): TranscriptDocument {
    const { analysis, failure } = analysedIfPossible(transcript, tracks);
    if (failure) this.log.error(`no analysis: ${failure.message}`);
    return analysis;
  }

  private async compose(
    work: Pick<
      PayloadOf<typeof AssembleWork>,
      'job_id' | 'item_id' | 'attempt' | 'language' | 'num_speakers' | 'analysis'
    >,
    durationSeconds: number,
    heard: HeardChunk[],
    { signal }: AttemptContext,
  ): Promise<WorkOutcome> {
    const { turns, warnings } = await this.speakers(work, heard, signal);
    const composed = composeTranscript({
      language: languageOfMostWords(heard.map(({ recognized }) => recognized)) ?? work.language,
      durationSeconds,
      words: stitched(heard.map(({ recognized }) => recognized)),
      turns,
      warnings: [...new Set([...heard.flatMap(({ recognized }) => recognized.warnings), ...warnings])],
      engine: heard[0]?.recognized.engine ?? this.engine,
      diarizer: { name: this.diarizer.name, version: this.diarizer.version },
    });
    const tracks =
      work.analysis === null
        ? undefined
        : heard.map(({ recognized }) => Buffer.from(recognized.voiceTrack ?? '', 'base64'));
    const transcript = tracks ? this.withAnalysis(composed, tracks) : composed;
    const result_key = objectKeys.result(work.job_id, work.item_id, work.attempt);
    // Kept so that the speakers can be told apart anew, as another number of them, without the sound.
    const voices_key = objectKeys.resultVoices(work.job_id, work.item_id, work.attempt);
    const voices = encodeVoices(
      heard.map((chunk) => chunk.voices),
      tracks,
    );
    await Promise.all([
      this.putJson(result_key, TranscriptDocument.parse(transcript), signal),
      this.put(voices_key, voices, 'application/octet-stream', signal),
    ]);
    const { language } = transcript;
    return { kind: 'transcribed', duration_seconds: durationSeconds, result_key, voices_key, language };
  }

  /** Whatever goes wrong in telling voices apart, the words are kept: the job says so in its warnings. */
  private async speakers(
    { job_id, num_speakers }: { job_id: string; num_speakers: number | null },
    heard: HeardChunk[],
    signal: AbortSignal,
  ): Promise<{ turns: SpeakerTurn[]; warnings: string[] }> {
    try {
      const turns = await timed('diarize', () =>
        this.diarizer.turns(
          heard.map(({ voices }) => voices),
          asAskedFor(num_speakers, signal),
        ),
      );
      return { turns, warnings: [] };
    } catch (error) {
      signal.throwIfAborted();
      this.log.error(`speakers of job ${job_id} could not be told apart: ${String(error)}`);
      return { turns: [], warnings: [NO_VOICES] };
    }
  }

  private putJson(key: string, value: unknown, signal: AbortSignal): Promise<void> {
    return this.put(key, Buffer.from(JSON.stringify(value)), 'application/json', signal);
  }

  private async put(key: string, bytes: Buffer, contentType: string, signal: AbortSignal): Promise<void> {
    await timed('store', () =>
      persistently(signal, () => this.store.putBuffer(key, bytes, { contentType, signal })),
    );
  }

  private read(key: string, signal: AbortSignal): Promise<Buffer> {
    return timed('fetch', () => this.store.getBuffer(key, undefined, MAX_CHUNK_BYTES, signal));
  }
}
