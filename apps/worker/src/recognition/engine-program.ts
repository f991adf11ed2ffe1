import type { RecognizerChoice } from './create-recognizer';
import { engineVariables, modelOptions, type EngineSettings } from './engine-settings';
import { modelFiles } from './model-files';
import { bestSpeechEngine, type SpeechEngine } from './speech-engine';

export interface EngineProgramSettings extends EngineSettings {
  readonly CURRAWONG_PYTHON: string;
  readonly CURRAWONG_ENGINES_DIR: string;
}

type Program = Exclude<RecognizerChoice, { engine: 'http' | 'null' }>;

/** Large models are read from slow disks; and on a processor one window may take a minute, at every temperature. */
const WHISPER_PATIENCE = { startSeconds: 300, patienceSeconds: 120, patienceFactor: 20 };

/**
 * The engine that is a program of ours, with what it is to know; `auto` is the best that this machine can run.
 * @param log a line at a time: which engine it is and why, and how far its model is fetched
 * @throws ModelUnavailable where an engine that was asked for lacks its model: it is never replaced by another.
 */
export async function engineProgram(
  wanted: SpeechEngine['engine'] | 'auto',
  settings: EngineProgramSettings,
  log: (line: string) => void,
): Promise<Program> {
  const model = { ...modelOptions(settings), log };
  const pythonPath = settings.CURRAWONG_PYTHON;
  const { engine, modelFolder, reason } =
    wanted === 'auto'
      ? await bestSpeechEngine({ pythonPath, model })
      : {
          engine: wanted,
          ...(wanted === 'faster-whisper' && { modelFolder: await modelFiles(model) }),
          reason: undefined,
        };
  if (reason) log(reason);
  return {
    engine,
    pythonPath,
    enginesFolder: settings.CURRAWONG_ENGINES_DIR,
    environment: engineVariables(settings, modelFolder),
    ...(engine === 'faster-whisper' && { patience: WHISPER_PATIENCE }),
  };
}
