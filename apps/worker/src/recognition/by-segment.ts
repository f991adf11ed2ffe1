import type { TranscriptWord } from '@currawong/contracts';
import type { SpeechSegment } from '../audio/pcm';
import { together } from '../together';
import type { Recognition, RecognizeOptions } from './recognizer';

/** What was heard in one segment. */
export interface Heard {
  /** Seconds from the beginning of the segment. */
  readonly words: TranscriptWord[];
  /** Only where it was detected. */
  readonly language?: string;
}

/**
 * Hears all segments of a chunk at the same time. After a failure nobody wants those that are still queued.
 * @param hear hears one, until its signal is aborted
 */
export async function bySegment(
  segments: readonly SpeechSegment[],
  { language: asked, signal, onProgress }: RecognizeOptions,
  hear: (segment: SpeechSegment, signal: AbortSignal) => Promise<Heard>,
): Promise<Recognition> {
  signal?.throwIfAborted();
  let done = 0;
  const heard = await together<Heard[]>(signal ?? new AbortController().signal, (either) =>
    segments.map(async (segment) => {
      const answer = await hear(segment, either);
      onProgress?.(++done / segments.length);
      return { ...answer, words: answer.words.map((word) => moved(word, segment)) };
    }),
  );
  const spoken = languageOfMostWords(heard.map(({ words, language = asked }) => ({ words, language })));
  return {
    words: heard.flatMap(({ words }) => words),
    language: spoken ?? (asked === 'auto' ? null : asked),
  };
}

function moved(word: TranscriptWord, { start }: SpeechSegment): TranscriptWord {
  return { ...word, start: word.start + start, end: word.end + start };
}

/** That of the most words, since a short part is easily taken for another; null where nothing was said. */
export function languageOfMostWords(
  parts: readonly { words: readonly unknown[]; language: string | null }[],
): string | null {
  const counts = new Map<string, number>();
  for (const { words, language } of parts) {
    if (language !== null && words.length > 0)
      counts.set(language, (counts.get(language) ?? 0) + words.length);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
