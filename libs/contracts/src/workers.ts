import { z } from 'zod';
import { defineNotice, defineRequest } from './define';
import { EngineIdentity } from './transcript';

/** What `language` is where the engine is to find out itself. */
export const DETECTED_LANGUAGE = 'auto';

/**
 * A worker that recognizes speech says which engine it has: when it starts, and every `ANNOUNCED_EVERY_SECONDS` from then
 * on. What is lost is said again soon.
 */
export const WorkerAnnounced = defineNotice(
  'workers.announced',
  z.object({
    /** Names the process among all workers; another one after each restart. */
    worker: z.string().min(1).max(300),
    engine: z.string().min(1),
    version: z.string().min(1),
    /** Which weights, exactly; null where there are none. */
    model: z.string().min(1).nullable(),
    /** ISO 639 codes. */
    languages: z.array(z.string().regex(/^[a-z]{2,3}$/)),
    /** Whether it takes `auto` for a language. */
    detects_language: z.boolean(),
    /** How many pieces of audio it works on at a time. */
    slots: z.number().int().positive(),
  }),
);
export const ANNOUNCED_EVERY_SECONDS = 30;

/** What the engines that are up can recognize; what those could that were heard of last where none is. */
export const ListLanguages = defineRequest(
  'jobs.list_languages',
  z.object({}),
  z.object({
    /** ISO 639 codes that every engine knows, sorted. */
    languages: z.array(z.string()),
    /** Whether every engine takes `auto`. */
    auto: z.boolean(),
    /** The engine that was heard of last; null where none ever was. */
    engine: EngineIdentity.nullable(),
  }),
);
