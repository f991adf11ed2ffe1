import type { TranscriptWord } from '@currawong/contracts';
import { samplesOf, type SpeechSegment } from '../audio/pcm';
import { countRestart } from '../metrics';
import { EngineProcess, type EngineProcessOptions, type EngineReady } from './engine-process';
import type { Recognition, Recognizer } from './recognizer';
import { filled } from './windows';

export interface ProcessRecognizerOptions {
  /** A Python with the packages of the engine's requirements file. */
  readonly pythonPath: string;
  /** The engine's program, one of engines/. */
  readonly scriptPath: string;
  /** What the program is to know beside where Python finds its packages. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly patience?: Pick<EngineProcessOptions, 'startSeconds' | 'patienceSeconds' | 'patienceFactor'>;
}

/** What the first line of a speech engine says beside what every engine says. */
interface SpeechEngineReady extends EngineReady {
  readonly languages: readonly string[];
  readonly detectsLanguage?: boolean;
  /** What it takes for one piece however short it is: segments are put together up to this length. */
  readonly windowSeconds?: number;
}

interface Heard {
  readonly words: TranscriptWord[];
  /** Only where it was detected. */
  readonly language?: string;
}

/**
 * A speech engine that is a process: segments of speech go in one by one, words come out.
 * @throws EngineCrashed when the engine does not come up.
 */
export async function createProcessRecognizer(options: ProcessRecognizerOptions): Promise<Recognizer> {
  const engine = new EngineProcess<SpeechEngineReady, Heard>({
    command: options.pythonPath,
    arguments: ['-u', options.scriptPath],
    environment: { ...pythonEnvironment(), ...options.environment },
    ...options.patience,
    // Known by then: what was never up is not started again.
    onRestart: () => countRestart(name),
  });
  const { name, version, model, languages, detectsLanguage, windowSeconds } = await engine.start();
  return {
    name,
    version,
    model: model ?? null,
    languages,
    detectsLanguage: detectsLanguage ?? false,
    givesConfidence: true,
    async recognize(pcm, segments, { language, prompt, signal, onProgress }) {
      signal?.throwIfAborted();
      const stop = new AbortController();
      const signals = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      let done = 0;
      const pieces = windowSeconds ? filled(segments, windowSeconds) : segments;
      const bySegment = pieces.map(async (segment) => {
        const heard = await engine.ask(samplesOf(pcm, segment), { language, prompt }, signals);
        onProgress?.(++done / pieces.length);
        return { ...heard, words: heard.words.map((word) => moved(word, segment)) };
      });
      try {
        return joined(await Promise.all(bySegment), language);
      } finally {
        // After a failure nobody wants the segments that are still queued.
        stop.abort();
      }
    },
    close: () => engine.close(),
  };
}

/**
 * A proxy or a user's site packages are not the engine's business. An image names by PYTHONPATH where it has the
 * engine's packages.
 */
export function pythonEnvironment(): Record<string, string> {
  return {
    LC_ALL: 'C.UTF-8',
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(process.env['PYTHONPATH'] && { PYTHONPATH: process.env['PYTHONPATH'] }),
  };
}

function moved(word: TranscriptWord, { start }: SpeechSegment): TranscriptWord {
  return { ...word, start: word.start + start, end: word.end + start };
}

/** The language is that of the most words, since a short segment is easily taken for another. */
export function joined(heard: readonly Heard[], asked: string): Recognition {
  const counts = new Map<string, number>();
  for (const { words, language = asked } of heard)
    if (words.length > 0) counts.set(language, (counts.get(language) ?? 0) + words.length);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return {
    words: heard.flatMap(({ words }) => words),
    language: most?.[0] ?? (asked === 'auto' ? null : asked),
  };
}
