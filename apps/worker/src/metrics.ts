import { Counter, Histogram } from 'prom-client';

const recognitionAudioSeconds = new Counter({
  name: 'currawong_recognition_audio_seconds_total',
  help: 'Length of the audio that an engine has recognized',
  labelNames: ['engine'],
});

const recognitionSeconds = new Counter({
  name: 'currawong_recognition_seconds_total',
  help: 'Time that recognition of it took, waiting for the engine included where slots share one',
  labelNames: ['engine'],
});

const realTimeFactor = new Histogram({
  name: 'currawong_real_time_factor',
  help: 'Time of recognition divided by length of audio, chunk by chunk: below 1 is faster than real time',
  labelNames: ['engine'],
  buckets: [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5],
});

const stepSeconds = new Histogram({
  name: 'currawong_worker_step_seconds',
  help: 'Time of one step of a piece of work. Recognition and the voices of a chunk go on at the same time',
  labelNames: ['step'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
});

const engineRestarts = new Counter({
  name: 'currawong_engine_restarts_total',
  help: 'Times that the engine was started again after it had crashed or hung',
  labelNames: ['engine'],
});

/**
 * fetch: objects read from the store. decode: waiting for sound from ffmpeg. recognize: words of a chunk. diarize: voices of
 * a chunk, or the speakers of a recording. analyse: pitch and level of a chunk. store: one object written.
 */
export type Step = 'fetch' | 'decode' | 'recognize' | 'diarize' | 'analyse' | 'store';
const STEPS: readonly Step[] = ['fetch', 'decode', 'recognize', 'diarize', 'analyse', 'store'];

export async function timed<T>(step: Step, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  try {
    return await work();
  } finally {
    stepSeconds.observe({ step }, (performance.now() - startedAtMs) / 1_000);
  }
}

/** The items of `source` as they are; the time that was spent waiting for them is observed when they are over. */
export async function* timedItems<T>(step: Step, source: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const items = source[Symbol.asyncIterator]();
  let waitedMs = 0;
  try {
    for (;;) {
      const askedAtMs = performance.now();
      const next = await items.next().finally(() => (waitedMs += performance.now() - askedAtMs));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await items.return?.();
    stepSeconds.observe({ step }, waitedMs / 1_000);
  }
}

export function countRecognition(engine: string, audioSeconds: number, seconds: number): void {
  recognitionAudioSeconds.inc({ engine }, audioSeconds);
  recognitionSeconds.inc({ engine }, seconds);
  if (audioSeconds > 0) realTimeFactor.observe({ engine }, seconds / audioSeconds);
}

export function countRestart(engine: string): void {
  engineRestarts.inc({ engine });
}

/** The series of the engine that this worker has exist from its start. */
export function showEngine(engine: string): void {
  recognitionAudioSeconds.inc({ engine }, 0);
  recognitionSeconds.inc({ engine }, 0);
  engineRestarts.inc({ engine }, 0);
  realTimeFactor.zero({ engine });
}

for (const step of STEPS) stepSeconds.zero({ step });
