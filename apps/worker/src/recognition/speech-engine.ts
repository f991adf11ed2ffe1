import { runPython } from './python-packages';
import { isReachable } from './download';
import { findModel, modelAddress, modelFiles, ModelUnavailable, type ModelFilesOptions } from './model-files';

export interface SpeechEngineOptions {
  readonly pythonPath: string;
  readonly model: ModelFilesOptions;
  /** How long the server of models is given to answer before another engine is taken; default 3. */
  readonly probeSeconds?: number;
}

/** What was found to be the best engine here. */
export interface SpeechEngine {
  readonly engine: 'faster-whisper' | 'moonshine' | 'pocketsphinx';
  /** Of faster-whisper's model. */
  readonly modelFolder?: string;
  /** One line: which, and why not a better one. */
  readonly reason: string;
}

/** Packages without which an engine's program cannot be started, by the names under which Python imports them. */
const PACKAGES = {
  'faster-whisper': ['faster_whisper', 'ctranslate2', 'tokenizers', 'onnxruntime'],
  moonshine: ['moonshine_voice', 'onnxruntime'],
} as const;

/**
 * The best engine that this machine can run: faster-whisper with a model that is here or can be fetched, else
 * Moonshine, else PocketSphinx. Where the server of models does not answer, that is known after a few seconds.
 * @throws the signal's reason.
 */
export async function bestSpeechEngine(options: SpeechEngineOptions): Promise<SpeechEngine> {
  const missing = await missingPackages(options.pythonPath);
  const whisper = await whisperModel(options, missing('faster-whisper'));
  if ('folder' in whisper) {
    return {
      engine: 'faster-whisper',
      modelFolder: whisper.folder,
      reason: `Speech engine: faster-whisper with the model in ${whisper.folder}`,
    };
  }
  const notWhisper = `faster-whisper is not used: ${whisper.why}`;
  const [package_] = missing('moonshine');
  if (package_ === undefined) {
    return { engine: 'moonshine', reason: `Speech engine: moonshine, English only; ${notWhisper}` };
  }
  return {
    engine: 'pocketsphinx',
    reason: `Speech engine: pocketsphinx, English only; moonshine is not used: its package ${package_} is not installed; ${notWhisper}`,
  };
}

async function whisperModel(
  { model, probeSeconds = 3 }: SpeechEngineOptions,
  [missing]: readonly string[],
): Promise<{ folder: string } | { why: string }> {
  if (missing !== undefined) return { why: `its package ${missing} is not installed` };
  try {
    const found = findModel(model);
    if (found) return { folder: found };
    const address = modelAddress(model);
    if (!(await isReachable(address, probeSeconds))) {
      return {
        why:
          `the model ${model.name} is not in ${model.cacheFolder}, and ${new URL(address).host} did not offer it within ` +
          `${probeSeconds} s`,
      };
    }
    return { folder: await modelFiles(model) };
  } catch (error) {
    if (error instanceof ModelUnavailable) return { why: error.message };
    throw error;
  }
}

async function missingPackages(
  pythonPath: string,
): Promise<(engine: keyof typeof PACKAGES) => readonly string[]> {
  const names = [...new Set(Object.values(PACKAGES).flat())];
  const there = await runPython(
    pythonPath,
    `import importlib.util, sys; print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name)])`,
    names,
  );
  const found = new Set(there.split(/\s+/));
  return (engine) => PACKAGES[engine].filter((name) => !found.has(name));
}
