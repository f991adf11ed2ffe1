import { join } from 'node:path';
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
    const built = join(repositoryFolder, 'apps', 'worker', 'dist');
    // No library holds these, and nothing but this process runs them beside the worker: so they are loaded as a program
    // is started, by path.
    const { createRecognizer } = load<Worker>(join(built, 'recognition', 'create-recognizer.js'));
    const { transcribeFile } = load<Worker>(join(built, 'quality', 'transcribe-file.js'));
    const { cepstralDiarizer } = load<{ cepstralDiarizer: object }>(
      join(built, 'diarization', 'cepstral-diarizer.js'),
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

function load<T>(path: string): T {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require(path) as T;
}
