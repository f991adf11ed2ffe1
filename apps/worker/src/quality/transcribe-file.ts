import type { TranscriptWord } from '@currawong/contracts';
import { type AudioChunk, ChunkCutter, ownPart } from '../audio/chunk-plan';
import { decodeToPcm } from '../audio/decode';
import type { Diarizer, SpeakerTurn, TurnsOptions } from '../diarization/diarizer';
import { wordsFrom, type Recognizer } from '../recognition/recognizer';
import { stitched, type HeardStretch } from '../report/stitch';

export interface TranscribedFile {
  readonly durationSeconds: number;
  readonly words: TranscriptWord[];
  readonly turns: SpeakerTurn[];
}

/** The speech part of a job from file to words and turns, without the platform: what quality is measured on. */
export function transcribeFile(
  inputPath: string,
  { ffmpegPath, ...engines }: TranscribeOptions & { readonly ffmpegPath: string },
): Promise<TranscribedFile> {
  return transcribeChunks(chunksOf(inputPath, ffmpegPath), engines);
}

/** A recording as it is given to engines. */
export function chunksOf(inputPath: string, ffmpegPath: string): AsyncIterable<AudioChunk> {
  return new ChunkCutter().cut(decodeToPcm({ ffmpegPath, inputPath, maxSeconds: 36_000 }));
}

/** @param chunks all of a recording, in order */
export async function transcribeChunks(
  chunks: AsyncIterable<AudioChunk> | Iterable<AudioChunk>,
  { recognizer, diarizer, diarization }: TranscribeOptions,
): Promise<TranscribedFile> {
  const heard: HeardStretch[] = [];
  const voices: Buffer[] = [];
  let durationSeconds = 0;
  for await (const chunk of chunks) {
    const { words } = await recognizer.recognize(chunk.pcm, chunk.segments, { language: 'en' });
    heard.push({ ...chunk, words: wordsFrom(chunk.startSeconds, words) });
    voices.push(await diarizer.observe(ownPart(chunk)));
    durationSeconds = chunk.ownEndSeconds;
  }
  return { durationSeconds, words: stitched(heard), turns: await diarizer.turns(voices, diarization) };
}

export interface TranscribeOptions {
  readonly recognizer: Recognizer;
  readonly diarizer: Diarizer;
  readonly diarization: TurnsOptions;
}
