import { resolve } from 'node:path';

/** What `npm run bench -- speech` is to measure. */
export interface SpeechArguments {
  /** A folder with a manifest; absent for the usual one. */
  readonly folder?: string;
  /** Engines by name; empty for all. */
  readonly engines: readonly string[];
  /** How often every recording is heard by a freshly started engine. */
  readonly rounds: number;
  /** Jobs through the platform, each beside the engine called directly. */
  readonly pairs: number;
}

/** Reads `[--folder DIR] [--engine NAME …] [--rounds N] [--pairs N]`; a sentence instead when that is not what was given. */
export function parseSpeechArguments(
  words: readonly string[],
  knownEngines: readonly string[],
): SpeechArguments | string {
  let folder: string | undefined;
  const engines: string[] = [];
  const counts = { rounds: 3, pairs: 5 };
  for (let index = 0; index < words.length; index++) {
    const [option, attached] = splitOnce(words[index]!);
    const value = attached ?? words[++index];
    if (option === '--folder') {
      if (!value) return '--folder takes the path of a folder with a manifest.json.';
      folder = resolve(value);
    } else if (option === '--engine') {
      if (!value || !knownEngines.includes(value))
        return `--engine takes one of ${knownEngines.join(', ')}, not ${value ?? 'nothing'}.`;
      engines.push(value);
    } else if (option === '--rounds' || option === '--pairs') {
      const count = Number(value);
      if (!Number.isInteger(count) || count < 1 || count > 100)
        return `${option} takes a whole number from 1 to 100, not ${value ?? 'nothing'}.`;
      counts[option === '--rounds' ? 'rounds' : 'pairs'] = count;
    } else {
      return `There is no ${option}: speech takes --folder DIR, --engine NAME (as often as wanted), --rounds N and --pairs N.`;
    }
  }
  return { ...(folder !== undefined && { folder }), engines, ...counts };
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
