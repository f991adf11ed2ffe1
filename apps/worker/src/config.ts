import {
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
  storeSettingsTogether,
} from '@currawong/config';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { engineEnvironment } from './recognition/engine-settings';

const settings = z.object({
  ...serviceEnvironment.shape,
  ...natsEnvironment.shape,
  ...storeEnvironment.shape,
  /**
   * `speech` recognizes (and does short recordings in one go), `audio` cuts long ones and puts them together again.
   * A pool of GPU machines takes `speech` alone, one of CPU machines beside it `audio`.
   */
  WORKER_DUTIES: z
    .string()
    .default('speech,audio')
    .transform((list) => list.split(',').map((duty) => duty.trim()))
    .pipe(z.array(z.enum(['speech', 'audio'])).min(1)),
  /** Recordings or chunks worked on at a time, per duty. */
  WORKER_SLOTS: z.coerce.number().int().min(1).max(64).default(1),
  /** `auto`: the best that this machine can run. */
  RECOGNIZER: z.enum(['pocketsphinx', 'moonshine', 'faster-whisper', 'http', 'null', 'auto']).default('auto'),
  ...engineEnvironment.shape,
  /** The server of engine `http`: OpenAI's interface for transcriptions, with the times of words. */
  ENGINE_URL: z.url({ protocol: /^https?$/ }).optional(),
  ENGINE_PATH: z.string().startsWith('/').default('/v1/audio/transcriptions'),
  ENGINE_API_KEY: z.string().min(1).optional(),
  /** As the server calls it; needed where it has several. */
  ENGINE_MODEL: z.string().min(1).optional(),
  /** Codes, with `auto` where it detects the language; needed where neither the server nor the model's name tells. */
  ENGINE_LANGUAGES: z
    .string()
    .transform((list) => list.split(',').map((code) => code.trim()))
    .pipe(z.array(z.string().regex(/^([a-z]{2,3}|auto)$/)).min(1))
    .optional(),
  /** Requests that the server gets at a time from this worker. */
  ENGINE_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(4),
  /** An utterance may take this long in any case, and so many seconds more per second of its audio. */
  ENGINE_PATIENCE_SECONDS: z.coerce.number().positive().default(60),
  ENGINE_PATIENCE_FACTOR: z.coerce.number().positive().default(10),
  /** For measuring everything but the engine: seconds that the null engine sleeps per second of audio. */
  NULL_ENGINE_SLEEP_FACTOR: z.coerce.number().min(0).default(0),
  /** The longest chunk; must not be less than what `jobs` counts as one chunk. */
  CHUNK_SECONDS: z.coerce.number().int().min(10).max(600).default(240),
  /** Python with the packages of the engine's requirements file in engines/. */
  CURRAWONG_PYTHON: z.string().default('/usr/bin/python3'),
  CURRAWONG_FFMPEG: z.string().default('/usr/bin/ffmpeg'),
  CURRAWONG_ENGINES_DIR: z.string().default('/app/engines'),
  /** What tells speakers apart: trained models, or cepstra without any; `auto`: the models where they are. */
  DIARIZER: z.enum(['auto', 'neural', 'mfcc-bic']).default('auto'),
  /** The folder of segmentation.onnx and embedding.onnx, as tools/models/speakers makes them. */
  SPEAKER_MODELS_DIR: z.string().default('/app/models/speakers'),
  /**
   * Recordings lie here while they are decoded: room for one of the largest size per slot and duty. Of this worker
   * alone: what an earlier one left there is deleted when it starts.
   */
  SCRATCH_DIR: z.string().default(join(tmpdir(), 'currawong-scratch')),
});
export const WorkerEnvironment = settings
  .superRefine(storeSettingsTogether)
  .superRefine(({ RECOGNIZER, ENGINE_URL }, context) => {
    if (RECOGNIZER === 'http' && ENGINE_URL === undefined)
      context.addIssue({ code: 'custom', path: ['ENGINE_URL'], message: 'is required with RECOGNIZER=http' });
  });
export type WorkerConfig = z.infer<typeof WorkerEnvironment>;

export const WORKER_CONFIG = Symbol('WorkerConfig');
