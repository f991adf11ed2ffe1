/** A word with its time, in seconds. */
export interface Spoken {
  text: string;
  start: number;
  end: number;
}

/** A silence that is heard as the end of something. */
const AUDIBLE_PAUSE_SECONDS = 0.3;

/** English words that begin a clause or a phrase: a line is best broken before them. */
const OPENING = new Set(
  (
    'and but or nor so yet because although though while when where which who whom whose that if unless until since before ' +
    'after as than whether in on at by for from with without into onto about over under between through during to of'
  ).split(' '),
);
/** And those that belong to what follows: never the last of a line. */
const LEANING = new Set(
  (
    'a an the my your his her its our their this these those no every each some any very more most is are was were be been am ' +
    'have has had do does did will would can could shall should may might must not i you he she it we they'
  ).split(' '),
);

/**
 * How bad it is to break between two words: nothing after the end of a sentence, most between words that belong together.
 * Where the words are none that it knows, punctuation and pauses alone say.
 */
export function breakCost(before: Spoken, after: Spoken): number {
  if (endsSentence(before.text)) return 0;
  const pause = after.start - before.end >= AUDIBLE_PAUSE_SECONDS ? 1 : 0;
  if (/[,;:–—，、；：]["'”’)」』）]*$/.test(before.text)) return 1 - pause * 0.5;
  const [last, first] = [plain(before.text), plain(after.text)];
  if (LEANING.has(last) || (OPENING.has(last) && !OPENING.has(first))) return 6 - pause * 2;
  return (OPENING.has(first) ? 2 : 3.5) - pause * 1.5;
}

export function endsSentence(text: string): boolean {
  return /[.!?…。！？]["'”’)」』）]*$/.test(text);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}']/gu, '');
}
