import type { TranscriptWord } from '@currawong/contracts';
import { samplesOf } from '../audio/pcm';
import { countRestart } from '../metrics';
import { EngineProcess, type EngineProcessOptions } from './engine-process';
import type { Recognizer } from './recognizer';

export interface PocketSphinxOptions {
  /** A Python with the packages of engines/requirements-pocketsphinx.txt. */
  readonly pythonPath: string;
  /** engines/pocketsphinx_engine.py */
  readonly scriptPath: string;
  readonly patience?: Pick<EngineProcessOptions, 'startSeconds' | 'patienceSeconds' | 'patienceFactor'>;
}

/**
 * The embedded engine: English only, no downloads, a tenth to a fifth of real time on one core. A prompt lets
 * it hear names that its language model lacks (and its dictionary has); other words it cannot make likelier.
 * @throws EngineCrashed when the engine does not come up.
 */
export async function createPocketSphinx(options: PocketSphinxOptions): Promise<Recognizer> {
  const engine = new EngineProcess({
    command: options.pythonPath,
    arguments: ['-u', options.scriptPath],
    // One thread is what it can use, and a proxy or a user's site packages are not its business. An image names by
    // PYTHONPATH where it has the engine's packages.
    environment: {
      LC_ALL: 'C.UTF-8',
      PYTHONNOUSERSITE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      ...(process.env['PYTHONPATH'] && { PYTHONPATH: process.env['PYTHONPATH'] }),
    },
    ...options.patience,
    // Known by then: what was never up is not started again.
    onRestart: () => countRestart(name),
  });
  const { name, version, languages } = await engine.start();
  return {
    name,
    version,
    languages,
    givesWordTimes: true,
    async recognize(pcm, segments, { language, prompt, signal, onProgress }) {
      signal?.throwIfAborted();
      const stop = new AbortController();
      const signals = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      let done = 0;
      const bySegment = segments.map(async (segment) => {
        const found = await engine.transcribe(samplesOf(pcm, segment), { language, prompt }, signals);
        onProgress?.(++done / segments.length);
        return found.map((word) => moved(word, segment.start));
      });
      try {
        return (await Promise.all(bySegment)).flat();
      } finally {
        // After a failure nobody wants the segments that are still queued.
        stop.abort();
      }
    },
    close: () => engine.close(),
  };
}

function moved(word: TranscriptWord, seconds: number): TranscriptWord {
  return { ...word, start: word.start + seconds, end: word.end + seconds };
}
