import { join } from 'node:path';
import { builtWorker } from '../built-worker';
import { serveQuestions } from './serve-questions';

/** Decoding, recognition and speaker turns of one file, called directly; the engine is kept loaded, as a worker keeps it. */
export interface EngineQuestion {
  readonly repositoryFolder: string;
  readonly inputPath: string;
  readonly ffmpegPath: string;
  readonly pythonPath: string;
  readonly numSpeakers: number;
}

interface Worker {
  createRecognizer(choice: object): Promise<Recognizer>;
  transcribeFile(inputPath: string, options: object): Promise<{ durationSeconds: number; words: unknown[] }>;
}

interface Recognizer {
  readonly name: string;
  readonly version: string;
}

let recognizer: Promise<Recognizer> | undefined;

serveQuestions(
  async ({ repositoryFolder, inputPath, ffmpegPath, pythonPath, numSpeakers }: EngineQuestion) => {
    const { createRecognizer } = builtWorker<Worker>(repositoryFolder, 'recognition/create-recognizer');
    const { transcribeFile } = builtWorker<Worker>(repositoryFolder, 'quality/transcribe-file');
    const { cepstralDiarizer } = builtWorker<{ cepstralDiarizer: object }>(
      repositoryFolder,
      'diarization/cepstral/cepstral-diarizer',
    );
    const enginesFolder = join(repositoryFolder, 'engines');
    recognizer ??= createRecognizer({ engine: 'pocketsphinx', pythonPath, enginesFolder });
    const engine = await recognizer;
    const began = performance.now();
    const { durationSeconds, words } = await transcribeFile(inputPath, {
      ffmpegPath,
      recognizer: engine,
      diarizer: cepstralDiarizer,
      diarization: { numSpeakers },
    });
    const seconds = (performance.now() - began) / 1000;
    return {
      seconds,
      durationSeconds,
      words: words.length,
      engine: `${engine.name} ${engine.version}`,
    } satisfies EngineAnswer;
  },
);

export interface EngineAnswer {
  readonly seconds: number;
  readonly durationSeconds: number;
  readonly words: number;
  readonly engine: string;
}
