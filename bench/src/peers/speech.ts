import { join } from 'node:path';
import { builtWorker } from '../built-worker';
import type { TimedWord, Turn } from '../speech/quality';
import { serveQuestions } from './serve-questions';

/** Speech engines called directly, one question after the other, in a process whose memory can be watched. */
export type SpeechQuestion = SpeechPrograms &
  (
    | { readonly ask: 'load'; readonly recognizer?: string; readonly diarizer?: string }
    /** With what was loaded: words, turns, or both as a job has them. */
    | {
        readonly ask: 'hear';
        readonly inputPath: string;
        readonly numSpeakers: number;
        readonly allowFewer?: boolean;
      }
  );

export interface SpeechPrograms {
  readonly repositoryFolder: string;
  readonly ffmpegPath: string;
  readonly pythonPath: string;
  readonly speakerModelsFolder: string;
}

export interface Loaded {
  readonly seconds: number;
  readonly name: string;
  readonly version: string;
  readonly model: string | null;
}

export interface Heard {
  /** Wall time of decoding and of what was loaded. */
  readonly seconds: number;
  readonly durationSeconds: number;
  readonly words: readonly (TimedWord & { readonly confidence: number | null })[];
  readonly turns: readonly Turn[];
}

interface Engine {
  readonly name: string;
  readonly version: string;
  readonly model?: string | null;
}

/** Stands in for what is not measured. */
const noRecognizer = { recognize: () => Promise.resolve({ words: [], language: null }) };
const noDiarizer = { observe: () => Promise.resolve(Buffer.alloc(0)), turns: () => Promise.resolve([]) };

let recognizer: object = noRecognizer;
let diarizer: object = noDiarizer;

serveQuestions<SpeechQuestion>(async (question) => {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  if (question.ask === 'load') {
    const engines: Engine[] = [];
    if (question.diarizer)
      engines.push((diarizer = await createDiarizer(question.diarizer, question)) as Engine);
    if (question.recognizer)
      engines.push((recognizer = await createRecognizer(question.recognizer, question)) as Engine);
    const { name, version, model } = engines.at(-1)!;
    return { seconds: seconds(), name, version, model: model ?? null } satisfies Loaded;
  }
  const { repositoryFolder, ffmpegPath, inputPath, numSpeakers, allowFewer } = question;
  const { transcribeFile } = builtWorker<{
    transcribeFile(path: string, options: object): Promise<Omit<Heard, 'seconds'>>;
  }>(repositoryFolder, 'quality/transcribe-file');
  const heard = await transcribeFile(inputPath, {
    ...{ ffmpegPath, recognizer, diarizer },
    diarization: { numSpeakers, allowFewer: allowFewer ?? false },
  });
  return { ...heard, seconds: seconds() } satisfies Heard;
});

/** As the worker makes them of its settings, which this process has in its environment as well. */
async function createRecognizer(engine: string, programs: SpeechPrograms): Promise<object> {
  const { repositoryFolder, pythonPath } = programs;
  const built = <Module>(name: string) => builtWorker<Module>(repositoryFolder, `recognition/${name}`);
  const { createRecognizer: create } = built<{ createRecognizer(choice: object): Promise<object> }>(
    'create-recognizer',
  );
  if (engine === 'http') return create({ engine, ...speechServer(process.env) });
  const { engineEnvironment } = built<{ engineEnvironment: { parse(env: object): object } }>(
    'engine-settings',
  );
  const { engineProgram } = built<{
    engineProgram(engine: string, settings: object, log: (line: string) => void): Promise<object>;
  }>('engine-program');
  const settings = {
    ...engineEnvironment.parse(process.env),
    CURRAWONG_PYTHON: pythonPath,
    CURRAWONG_ENGINES_DIR: join(repositoryFolder, 'engines'),
  };
  return create(await engineProgram(engine, settings, () => undefined));
}

function speechServer(env: NodeJS.ProcessEnv): object {
  return {
    url: env['ENGINE_URL'],
    path: env['ENGINE_PATH'] ?? '/v1/audio/transcriptions',
    apiKey: env['ENGINE_API_KEY'],
    model: env['ENGINE_MODEL'],
    languages: env['ENGINE_LANGUAGES']?.split(',').map((code) => code.trim()),
  };
}

async function createDiarizer(name: string, programs: SpeechPrograms): Promise<object> {
  const { repositoryFolder, pythonPath, speakerModelsFolder } = programs;
  const { createDiarizer: create } = builtWorker<{
    createDiarizer(choice: string, options: object): Promise<object>;
  }>(repositoryFolder, 'diarization/create-diarizer');
  return create(name, {
    pythonPath,
    enginesFolder: join(repositoryFolder, 'engines'),
    modelsFolder: speakerModelsFolder,
    say: () => undefined,
  });
}
