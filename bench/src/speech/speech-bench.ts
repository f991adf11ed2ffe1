import type { TestServers } from '@currawong/testing';
import type { Normalise } from './python-programs';
import type { Quality, Recording, TimedWord } from './quality';

/** What every measurement of speech is given. */
export interface SpeechBench {
  readonly repositoryFolder: string;
  readonly servers: TestServers;
  readonly quality: Quality;
  readonly normalise: Normalise;
  readonly recordings: readonly Recording[];
  /** When each word is said, by name of the recording: from forced alignment of its transcript. */
  readonly alignment: ReadonlyMap<string, readonly TimedWord[]>;
  /** A recording whose words have exact times, for a folder that has none. */
  readonly timedSample: Recording | undefined;
  readonly rounds: number;
  readonly pairs: number;
  /** Tells the watcher how far it has come. */
  progress(text: string): void;
}
