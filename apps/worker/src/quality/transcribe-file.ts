import type { TranscriptWord } from '@currawong/contracts';
import { ChunkCutter } from '../audio/chunk-plan';
import { decodeToPcm } from '../audio/decode';
import type { Diarizer, SpeakerTurn, TurnsOptions } from '../diarization/diarizer';
import { wordsFrom, type Recognizer } from '../recognition/recognizer';

export interface TranscribedFile {
  readonly durationSeconds: number;
  readonly words: TranscriptWord[];
  readonly turns: SpeakerTurn[];
}

/** The speech part of a job from file to words and turns, without the platform: what quality is measured on. */
export async function transcribeFile(
  inputPath: string,
  { ffmpegPath, recognizer, diarizer, diarization }: TranscribeOptions,
): Promise<TranscribedFile> {
  const cutter = new ChunkCutter();
  const words: TranscriptWord[] = [];
  const voices: Buffer[] = [];
  for await (const chunk of cutter.cut(decodeToPcm({ ffmpegPath, inputPath, maxSeconds: 36_000 }))) {
    const heard = await recognizer.recognize(chunk.pcm, chunk.segments, { language: 'en' });
    words.push(...wordsFrom(chunk.startSeconds, heard.words));
    voices.push(await diarizer.observe(chunk));
  }
  return { durationSeconds: cutter.durationSeconds, words, turns: await diarizer.turns(voices, diarization) };
}

export interface TranscribeOptions {
  readonly ffmpegPath: string;
  readonly recognizer: Recognizer;
  readonly diarizer: Diarizer;
  readonly diarization: TurnsOptions;
}
