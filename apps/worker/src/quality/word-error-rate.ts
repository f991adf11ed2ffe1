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
  const reference = normalisedWords(referenceText);
  const hypothesis = normalisedWords(hypothesisText);
  // One row of the edit-distance table at a time; each cell also counts the edits by kind.
  let row: Edits[] = hypothesis.reduce<Edits[]>(
    (cells, _) => [...cells, added(cells.at(-1)!, 'insertions')],
    [NONE],
  );
  for (const expected of reference) {
    const next: Edits[] = [added(row[0]!, 'deletions')];
    hypothesis.forEach((heard, column) => {
      const diagonal = heard === expected ? row[column]! : added(row[column]!, 'substitutions');
      const left = added(next[column]!, 'insertions');
      const above = added(row[column + 1]!, 'deletions');
      next.push([left, above].reduce((best, other) => (other.total < best.total ? other : best), diagonal));
    });
    row = next;
  }
  const { total, substitutions, deletions, insertions } = row.at(-1)!;
  const rate = reference.length > 0 ? total / reference.length : total > 0 ? Infinity : 0;
  return { substitutions, deletions, insertions, referenceWords: reference.length, rate };
}

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

interface Edits {
  readonly total: number;
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
}

const NONE: Edits = { total: 0, substitutions: 0, deletions: 0, insertions: 0 };

function added(edits: Edits, kind: 'substitutions' | 'deletions' | 'insertions'): Edits {
  return { ...edits, total: edits.total + 1, [kind]: edits[kind] + 1 };
}
