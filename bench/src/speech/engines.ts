import { builtWorker } from '../built-worker';

/** Speech engines by the names that RECOGNIZER takes. */
export const recognizers = ['pocketsphinx', 'moonshine', 'faster-whisper', 'http'] as const;

/** By the names that DIARIZER takes; behind the API the last one that is at hand is measured. */
export const diarizers = ['mfcc-bic', 'neural'] as const;

/** Why an engine is not at hand; undefined where nothing is known to be missing. Nothing is fetched for a measurement. */
export function gapOf(engine: string, repositoryFolder: string): string | undefined {
  if (engine === 'http' && !process.env['ENGINE_URL'])
    return 'ENGINE_URL does not give the address of a speech server';
  if (engine !== 'faster-whisper') return undefined;
  const built = <Module>(name: string) => builtWorker<Module>(repositoryFolder, `recognition/${name}`);
  const { engineEnvironment, modelOptions } = built<EngineSettingsModule>('engine-settings');
  const settings = engineEnvironment.parse(process.env);
  const CURRAWONG_ENGINES_DIR = `${repositoryFolder}/engines`;
  const { findModel } = built<{ findModel(options: object): string | undefined }>('model-files');
  return findModel(modelOptions({ ...settings, CURRAWONG_ENGINES_DIR }))
    ? undefined
    : `the model ${settings.MODEL} is not in the folder that MODEL_DIR names`;
}

interface EngineSettingsModule {
  engineEnvironment: { parse(env: object): { readonly MODEL: string } };
  modelOptions(settings: object): object;
}
