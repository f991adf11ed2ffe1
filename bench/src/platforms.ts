/** Which platforms the measurements run on; those that use the same one follow one another. */
export const platforms = {
  /** Uploads alone: a worker that decodes what has just arrived would take the CPU that is being measured. */
  withoutWorker: { services: ['billing', 'jobs', 'gateway'], env: { RECOGNIZER: 'null' } },
  nullEngine: { env: { RECOGNIZER: 'null' } },
  pocketSphinx: { env: { RECOGNIZER: 'pocketsphinx' } },
  /** Chunks of ten seconds and an engine that sleeps: what is left is how the work is shared out. */
  twoWorkers: {
    services: ['billing', 'jobs', 'worker', 'worker-2', 'gateway'],
    env: { RECOGNIZER: 'null', CHUNK_SECONDS: '10', NULL_ENGINE_SLEEP_FACTOR: '0.04' },
  },
} as const;
