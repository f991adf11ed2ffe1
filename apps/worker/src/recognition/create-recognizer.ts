import { join } from 'node:path';
import { createHttpRecognizer, type HttpRecognizerOptions } from './http-recognizer';
import { createNullEngine, type NullEngineOptions } from './null-engine';
import { createProcessRecognizer, type ProcessRecognizerOptions } from './process-recognizer';
import type { Recognizer } from './recognizer';

/** The engines that are programs of ours, by the name of their program in engines/. */
const PROGRAMS = {
  pocketsphinx: 'pocketsphinx_engine.py',
  moonshine: 'moonshine_engine.py',
  'faster-whisper': 'faster_whisper_engine.py',
} as const;

/** Which engine to run, as the configuration names it, with what that engine needs. */
export type RecognizerChoice =
  | ({
      readonly engine: keyof typeof PROGRAMS;
      /** The folder engines/. */
      readonly enginesFolder: string;
    } & Omit<ProcessRecognizerOptions, 'scriptPath'>)
  | ({ readonly engine: 'http' } & HttpRecognizerOptions)
  | ({ readonly engine: 'null' } & NullEngineOptions);

/** @throws EngineCrashed when the engine does not come up, EngineUnavailable when its server does not. */
export async function createRecognizer(choice: RecognizerChoice): Promise<Recognizer> {
  if (choice.engine === 'null') return createNullEngine(choice);
  if (choice.engine === 'http') return createHttpRecognizer(choice);
  const { engine, enginesFolder, ...options } = choice;
  return createProcessRecognizer({ ...options, scriptPath: join(enginesFolder, PROGRAMS[engine]) });
}
