import { cepstralDiarizer } from './cepstral/cepstral-diarizer';
import type { Diarizer, SpeakerTurn, TurnsOptions } from './diarizer';
import { createNeuralDiarizer, neuralTurns, type NeuralDiarizerOptions } from './neural/neural-diarizer';
import { isObservation } from './neural/observation';

export interface DiarizerOptions extends NeuralDiarizerOptions {
  /** Gets one line where another diarizer than the best is chosen. */
  readonly say: (line: string) => void;
}

/**
 * @param choice `auto` takes the trained models where they and their packages are, else what needs none.
 * @throws EngineCrashed or Error when `neural` was asked for and does not come up.
 */
export async function createDiarizer(
  choice: 'auto' | 'neural' | 'mfcc-bic',
  { say, ...options }: DiarizerOptions,
): Promise<Diarizer> {
  if (choice === 'mfcc-bic') return { ...cepstralDiarizer, turns: turnsOfEither };
  try {
    return { ...(await createNeuralDiarizer(options)), turns: turnsOfEither };
  } catch (error) {
    if (choice === 'neural') throw error;
    say(`Speakers are told apart without trained models (mfcc-bic): ${String(error)}`);
    return { ...cepstralDiarizer, turns: turnsOfEither };
  }
}

/**
 * What was noted of a recording's voices may be another diarizer's: of another worker, or of the one before a change of
 * configuration. Either can be worked with; a mixture in one recording cannot.
 */
function turnsOfEither(observations: readonly Buffer[], options: TurnsOptions): Promise<SpeakerTurn[]> {
  const diarize = observations.some(isObservation) ? neuralTurns : cepstralDiarizer.turns;
  return diarize(observations, options);
}
