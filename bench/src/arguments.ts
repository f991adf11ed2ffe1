/** What to measure, and how often. */
export interface BenchArguments {
  readonly names: readonly string[];
  readonly pairs: number;
}

export const defaultPairs = 5;

/** Reads `[name …] [--pairs N]`; a sentence instead when that is not what was given. */
export function parseArguments(words: readonly string[], known: readonly string[]): BenchArguments | string {
  const names: string[] = [];
  let pairs = defaultPairs;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === '--pairs' || word.startsWith('--pairs=')) {
      const text = word === '--pairs' ? words[++index] : word.slice('--pairs='.length);
      pairs = Number(text);
      if (!Number.isInteger(pairs) || pairs < 1 || pairs > 100)
        return `--pairs takes a whole number from 1 to 100, not ${text ?? 'nothing'}.`;
    } else if (known.includes(word)) names.push(word);
    else return `There is no measurement ${word}: one or more of ${known.join(', ')}, or none for all.`;
  }
  return { names: names.length > 0 ? known.filter((name) => names.includes(name)) : known, pairs };
}
