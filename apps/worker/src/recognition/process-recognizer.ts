import { samplesOf } from '../audio/pcm';
import { countRestart } from '../metrics';
import { bySegment, type Heard } from './by-segment';
import { EngineProcess, type EngineProcessOptions, type EngineReady } from './engine-process';
import type { Recognizer } from './recognizer';
import { filled } from './windows';

export interface ProcessRecognizerOptions {
  /** A Python with the packages of the engine's requirements file. */
  readonly pythonPath: string;
  /** The engine's program, one of engines/. */
  readonly scriptPath: string;
  /** What the program is to know beside where Python finds its packages. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly patience?: Pick<EngineProcessOptions, 'startSeconds' | 'patienceSeconds' | 'patienceFactor'>;
}

/** What the first line of a speech engine says beside what every engine says. */
interface SpeechEngineReady extends EngineReady {
  readonly languages: readonly string[];
  readonly detectsLanguage?: boolean;
  /** What it takes for one piece however short it is: segments are put together up to this length. */
  readonly windowSeconds?: number;
}

/**
 * A speech engine that is a process: segments of speech go in one by one, words come out.
 * @throws EngineCrashed when the engine does not come up.
 */
export async function createProcessRecognizer(options: ProcessRecognizerOptions): Promise<Recognizer> {
  const engine = new EngineProcess<SpeechEngineReady, Heard>({
    command: options.pythonPath,
    arguments: ['-u', options.scriptPath],
    environment: { ...pythonEnvironment(), ...options.environment },
    ...options.patience,
    // Known by then: what was never up is not started again.
    onRestart: () => countRestart(name),
  });
  const { name, version, model, languages, detectsLanguage, windowSeconds } = await engine.start();
  return {
    name,
    version,
    model: model ?? null,
    languages,
    detectsLanguage: detectsLanguage ?? false,
    givesConfidence: true,
    recognize(pcm, segments, options) {
      const { language, prompt } = options;
      const pieces = windowSeconds ? filled(segments, windowSeconds) : segments;
      return bySegment(pieces, options, (segment, signal) =>
        engine.ask(samplesOf(pcm, segment), { language, prompt }, signal),
      );
    },
    close: () => engine.close(),
  };
}

/**
 * A proxy or a user's site packages are not the engine's business. An image names by PYTHONPATH where it has the
 * engine's packages.
 */
export function pythonEnvironment(): Record<string, string> {
  return {
    LC_ALL: 'C.UTF-8',
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(process.env['PYTHONPATH'] && { PYTHONPATH: process.env['PYTHONPATH'] }),
  };
}
