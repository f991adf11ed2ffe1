import type { PlatformOptions, TestPlatform, TestServers } from '@currawong/testing';
import type { Figure } from './figure';

/** One thing to measure; the name is what the command line takes. */
export interface Measurement {
  readonly name: string;
  /** What the watcher of the command reads while it is going on. */
  readonly title: string;
  /** @throws NotMeasurable when this machine lacks something that it takes. */
  measure(bench: Bench): Promise<Figure[]>;
}

/** What a measurement is given. */
export interface Bench {
  readonly pairs: number;
  readonly servers: TestServers;
  readonly repositoryFolder: string;
  /**
   * A running platform with these settings. Measurements that follow one another and ask for the same share it; another
   * wish stops it first, so that never two of them share the machine.
   */
  platform(options: PlatformOptions): Promise<TestPlatform>;
  /** Tells the watcher how far it has come. */
  progress(text: string): void;
}

/** Leaves a gap in the results, with the reason, instead of a figure. */
export class NotMeasurable extends Error {
  override readonly name = 'NotMeasurable';
}
