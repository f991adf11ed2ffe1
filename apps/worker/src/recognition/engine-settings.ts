import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ModelFilesOptions } from './model-files';

/** A threshold may be switched off, which a number cannot say. */
const threshold = z.union([z.literal('off'), z.coerce.number()]);

/** What the programs of engines/ are told; each says in engines/ what it makes of it. */
export const engineEnvironment = z.object({
  /** Processors that an engine's process uses; 0: faster-whisper those that there are, at most eight, the others one. */
  CURRAWONG_ENGINE_THREADS: z.coerce.number().int().min(0).max(256).default(0),
  /** Utterances decoded at a time; 0: 8 on a GPU, 1 elsewhere. Halved while the memory does not suffice. */
  CURRAWONG_ENGINE_BATCH: z.coerce.number().int().min(0).max(256).default(0),
  /** Which of the list of models, or a folder in MODEL_DIR. */
  MODEL: z.string().min(1).default('faster-whisper-small'),
  /** Models are looked for here and fetched to here; or the folder of one model. */
  MODEL_DIR: z.string().default(join(tmpdir(), 'currawong-models')),
  /** A mirror of the model's files. */
  MODEL_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** A list of models instead of engines/models.json. */
  MODEL_MANIFEST: z.string().min(1).optional(),
  WHISPER_DEVICE: z.enum(['auto', 'cpu', 'cuda']).default('auto'),
  WHISPER_COMPUTE_TYPE: z
    .string()
    .regex(/^[a-z0-9_]+$/)
    .default('auto'),
  WHISPER_BEAM_SIZE: z.coerce.number().int().min(1).max(20).default(5),
  WHISPER_TEMPERATURES: z
    .string()
    .regex(/^[\d.]+(,[\d.]+)*$/, 'numbers with commas between are expected')
    .default('0,0.2,0.4,0.6,0.8,1'),
  WHISPER_LOG_PROB_THRESHOLD: threshold.default(-1),
  WHISPER_NO_SPEECH_THRESHOLD: threshold.default(0.6),
  WHISPER_COMPRESSION_RATIO_THRESHOLD: threshold.default(2.4),
  WHISPER_VOICE_ACTIVITY: z.enum(['on', 'off']).default('on'),
});
export type EngineSettings = z.infer<typeof engineEnvironment>;

/** The environment of an engine's process: its settings and, of faster-whisper, the model's folder. */
export function engineVariables(settings: EngineSettings, modelFolder?: string): Record<string, string> {
  const variables = Object.keys(engineEnvironment.shape)
    .filter((name) => /^(WHISPER|CURRAWONG_ENGINE)_/.test(name))
    .map((name) => [name, settings[name as keyof EngineSettings]] as const)
    // Each engine knows best how many it can use.
    .filter(([, value]) => value !== 0 && value !== undefined);
  return {
    ...Object.fromEntries(variables.map(([name, value]) => [name, String(value)])),
    ...(modelFolder !== undefined && { WHISPER_MODEL_FOLDER: modelFolder }),
  };
}

export function modelOptions(
  settings: EngineSettings & { readonly CURRAWONG_ENGINES_DIR: string },
): ModelFilesOptions {
  return {
    cacheFolder: settings.MODEL_DIR,
    name: settings.MODEL,
    manifestPath: settings.MODEL_MANIFEST ?? join(settings.CURRAWONG_ENGINES_DIR, 'models.json'),
    url: settings.MODEL_URL,
  };
}
