import { builtWorker } from '../built-worker';

/** What apps/worker/src/quality offers, as far as it is used here. */
export interface Quality {
  openCorpus(folder?: string): Recording[] | undefined;
  corpusFolder: string;
  wordErrorsOf(reference: readonly string[], hypothesis: readonly string[]): WordErrors;
  togetherWordErrors(all: readonly WordErrors[]): WordErrors;
  normalisedWords(text: string): string[];
  wordTimeErrors(reference: readonly TimedWord[], hypothesis: readonly TimedWord[]): WordTimeErrors;
  diarizationErrors(
    reference: readonly Turn[],
    hypothesis: readonly Turn[],
    options: { readonly collarSeconds: number },
  ): DiarizationErrors;
  togetherDiarizationErrors(all: readonly DiarizationErrors[]): DiarizationErrors;
}

export interface Recording {
  readonly name: string;
  readonly path: string;
  readonly seconds: number;
  readonly speakers: number;
  readonly transcript: string | null;
  readonly turns: readonly Turn[] | null;
  readonly words: readonly TimedWord[] | null;
}

export interface TimedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Turn {
  readonly start: number;
  readonly end: number;
  readonly speaker: string | number;
}

export interface WordErrors {
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
  readonly referenceWords: number;
  readonly rate: number;
}

export interface WordTimeErrors {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export interface DiarizationErrors {
  readonly missedSeconds: number;
  readonly falseAlarmSeconds: number;
  readonly confusedSeconds: number;
  readonly speechSeconds: number;
  readonly rate: number;
  readonly jaccardRate: number;
}

export function loadQuality(repositoryFolder: string): Quality {
  const parts = ['word-error-rate', 'word-time-error', 'diarization-error-rate', 'speech-corpus'].map(
    (name) => builtWorker<Partial<Quality>>(repositoryFolder, `quality/${name}`),
  );
  return Object.assign({}, ...parts) as Quality;
}
