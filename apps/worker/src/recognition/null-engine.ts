import { setTimeout as sleep } from 'node:timers/promises';
import type { Recognizer } from './recognizer';

export interface NullEngineOptions {
  /** Seconds slept per second of audio; default 0. */
  readonly sleepFactor?: number;
}

/** Hears nothing, at a chosen speed: what is left to measure is the platform around the engine. */
export function createNullEngine({ sleepFactor = 0 }: NullEngineOptions = {}): Recognizer {
  return {
    name: 'null',
    version: '1',
    model: null,
    languages: ['en'],
    detectsLanguage: false,
    givesConfidence: true,
    async recognize(pcm, _segments, { language, signal, onProgress }) {
      signal?.throwIfAborted();
      const milliseconds = (pcm.length / 16) * sleepFactor;
      if (milliseconds > 0) {
        try {
          await sleep(milliseconds, undefined, signal ? { signal } : {});
        } catch (error) {
          signal?.throwIfAborted();
          throw error;
        }
      }
      onProgress?.(1);
      return { words: [], language };
    },
    close: () => Promise.resolve(),
  };
}
