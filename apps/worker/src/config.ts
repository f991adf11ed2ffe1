import {
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
  storeSettingsTogether,
} from '@currawong/config';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

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
  RECOGNIZER: z.enum(['pocketsphinx', 'moonshine', 'faster-whisper', 'null']).default('pocketsphinx'),
  /** For measuring everything but the engine: seconds that the null engine sleeps per second of audio. */
  NULL_ENGINE_SLEEP_FACTOR: z.coerce.number().min(0).default(0),
  /** The longest chunk; must not be less than what `jobs` counts as one chunk. */
  CHUNK_SECONDS: z.coerce.number().int().min(10).max(600).default(240),
  /** Python with the packages of engines/requirements-pocketsphinx.txt. */
  CURRAWONG_PYTHON: z.string().default('/usr/bin/python3'),
  CURRAWONG_FFMPEG: z.string().default('/usr/bin/ffmpeg'),
  CURRAWONG_ENGINES_DIR: z.string().default('/app/engines'),
  /**
   * Recordings lie here while they are decoded: room for one of the largest size per slot and duty. Of this worker
   * alone: what an earlier one left there is deleted when it starts.
   */
  SCRATCH_DIR: z.string().default(join(tmpdir(), 'currawong-scratch')),
});
export const WorkerEnvironment = settings.superRefine(storeSettingsTogether);
export type WorkerConfig = z.infer<typeof WorkerEnvironment>;

export const WORKER_CONFIG = Symbol('WorkerConfig');
