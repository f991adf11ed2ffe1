export interface WordErrors {
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
  readonly referenceWords: number;
  /** All errors per reference word; can exceed 1. */
  readonly rate: number;
}

/** Compares what was recognised with what was said, by the fewest edits that turn one into the other. */
export function wordErrors(referenceText: string, hypothesisText: string): WordErrors {
  return wordErrorsOf(normalisedWords(referenceText), normalisedWords(hypothesisText));
}

/** The same of words that are normalised already. */
export function wordErrorsOf(reference: readonly string[], hypothesis: readonly string[]): WordErrors {
  const errors = { substitutions: 0, deletions: 0, insertions: 0 };
  for (const { said, heard } of alignedWords(reference, hypothesis)) {
    if (said === undefined) errors.insertions++;
    else if (heard === undefined) errors.deletions++;
    else if (reference[said] !== hypothesis[heard]) errors.substitutions++;
  }
  return withRate({ ...errors, referenceWords: reference.length });
}

/** The errors of several recordings as those of one long one. */
export function togetherWordErrors(all: readonly WordErrors[]): WordErrors {
  const sum = (name: Exclude<keyof WordErrors, 'rate'>) =>
    all.reduce((total, errors) => total + errors[name], 0);
  return withRate({
    substitutions: sum('substitutions'),
    deletions: sum('deletions'),
    insertions: sum('insertions'),
    referenceWords: sum('referenceWords'),
  });
}

function withRate(errors: Omit<WordErrors, 'rate'>): WordErrors {
  const { substitutions, deletions, insertions, referenceWords } = errors;
  const total = substitutions + deletions + insertions;
  return { ...errors, rate: referenceWords > 0 ? total / referenceWords : total > 0 ? Infinity : 0 };
}

/** Positions of a word said and of the word heard for it; one of them is absent in a deletion or an insertion. */
export interface AlignedWord {
  readonly said?: number;
  readonly heard?: number;
}

/**
 * The way with the fewest edits to turn one into the other; among several, one with the most words that are the same.
 * Takes a byte for each pair of words.
 */
export function alignedWords(reference: readonly string[], hypothesis: readonly string[]): AlignedWord[] {
  const columns = hypothesis.length + 1;
  const steps = new Uint8Array((reference.length + 1) * columns).fill(INSERTION, 1, columns);
  let costs = Float64Array.from({ length: columns }, (_, column) => column * EDIT);
  reference.forEach((expected, index) => {
    const next = new Float64Array(columns);
    next[0] = (index + 1) * EDIT;
    steps[(index + 1) * columns] = DELETION;
    for (let column = 1; column < columns; column++) {
      let cost = costs[column - 1]! + (hypothesis[column - 1] === expected ? 0 : SUBSTITUTION);
      let step = MATCH;
      if (next[column - 1]! + EDIT < cost) [cost, step] = [next[column - 1]! + EDIT, INSERTION];
      if (costs[column]! + EDIT < cost) [cost, step] = [costs[column]! + EDIT, DELETION];
      next[column] = cost;
      steps[(index + 1) * columns + column] = step;
    }
    costs = next;
  });
  const pairs: AlignedWord[] = [];
  for (let said = reference.length, heard = hypothesis.length; said > 0 || heard > 0;) {
    const step = steps[said * columns + heard]!;
    if (step === MATCH) pairs.push({ said: --said, heard: --heard });
    else if (step === INSERTION) pairs.push({ heard: --heard });
    else pairs.push({ said: --said });
  }
  return pairs.reverse();
}

/** Any number of substitutions that there can be weighs less than one edit more. */
const EDIT = 2 ** 24;
const SUBSTITUTION = EDIT + 1;

/** The same word, or another in its place. */
const MATCH = 0;
const INSERTION = 1;
const DELETION = 2;

/** Lower case, without punctuation, with titles and small numbers written out as a reader would say them. */
export function normalisedWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[^a-z0-9' ]+/g, ' ')
    .split(' ')
    .map((word) => word.replace(/^'+|'+$/g, ''))
    .filter((word) => word !== '')
    .map((word) => SPOKEN[word] ?? word);
}

const SPOKEN: Readonly<Record<string, string>> = {
  ...{ mr: 'mister', mrs: 'missus', dr: 'doctor', st: 'saint', okay: 'ok' },
  ...{
    '0': 'zero',
    '1': 'one',
    '2': 'two',
    '3': 'three',
    '4': 'four',
    '5': 'five',
    '6': 'six',
    '7': 'seven',
  },
  ...{ '8': 'eight', '9': 'nine', '10': 'ten', '11': 'eleven', '12': 'twelve' },
};
