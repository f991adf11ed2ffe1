import { parseArgs } from 'node:util';

export interface FaultArguments {
  readonly seed: number | undefined;
  readonly minutes: number;
  /** Names of faults; empty means all. */
  readonly faults: readonly string[];
  readonly outageSeconds: number;
  /** Leaves data and logs where they are. */
  readonly keep: boolean;
  /** Tests the checker on services with planted bugs: all, or the named one. */
  readonly planted: boolean;
}

export const USAGE = `npm run test:faults -- [--seed N] [--minutes M] [--faults a,b] [--outage-seconds S] [--keep] [--planted]`;

/** @returns what was asked for, or a sentence that says what is wrong with it */
export function parseArguments(words: readonly string[], known: readonly string[]): FaultArguments | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        seed: { type: 'string' },
        minutes: { type: 'string', default: '3' },
        faults: { type: 'string', default: '' },
        'outage-seconds': { type: 'string', default: '5' },
        keep: { type: 'boolean', default: false },
        planted: { type: 'boolean', default: false },
      },
    });
    const faults = values.faults.split(',').filter((name) => name !== '');
    const unknown = faults.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      return `There is no ${values.planted ? 'planted bug' : 'fault'} ${unknown.join(', ')}: there are ${known.join(', ')}.`;
    return {
      seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed),
      minutes: positive('--minutes', values.minutes),
      faults,
      outageSeconds: positive('--outage-seconds', values['outage-seconds']),
      keep: values.keep,
      planted: values.planted,
    };
  } catch (error) {
    return `${(error as Error).message}\n${USAGE}`;
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, not ${text}.`);
  return value;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name} must be a whole number, not ${text}.`);
  return value;
}
