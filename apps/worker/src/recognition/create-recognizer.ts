import { createNullEngine, type NullEngineOptions } from './null-engine';
import { createPocketSphinx, type PocketSphinxOptions } from './pocketsphinx';
import type { Recognizer } from './recognizer';

/** Which engine to run, as the configuration names it, with what that engine needs. */
export type RecognizerChoice =
  | ({ readonly engine: 'pocketsphinx' } & PocketSphinxOptions)
  | ({ readonly engine: 'null' } & NullEngineOptions);

/** @throws EngineCrashed when the engine does not come up. */
export async function createRecognizer(choice: RecognizerChoice): Promise<Recognizer> {
  switch (choice.engine) {
    case 'pocketsphinx':
      return createPocketSphinx(choice);
    case 'null':
      return createNullEngine(choice);
  }
}
