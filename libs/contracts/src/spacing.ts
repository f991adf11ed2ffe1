// Apart from the front door as well: the dashboard needs it without the schemas.

/** Characters of scripts that are written without spaces; with the punctuation that goes with them. */
const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー、。，！？：；「」『』（）]`;
const NEEDLESS_SPACE = new RegExp(` (?<=${UNSPACED} )(?=${UNSPACED})`, 'gu');
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'u');
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');

/** What stands between two texts that follow each other: a single space, or nothing inside a script without spaces. */
export function gapBetween(before: string, after: string): '' | ' ' {
  // A character is two units of a string at most; the rest of a long text is not looked at.
  return ENDS_UNSPACED.test(before.slice(-2)) && BEGINS_UNSPACED.test(after) ? '' : ' ';
}

/** Words, or longer texts, as they are read: with single spaces, but for scripts that are written without them. */
export function joinedText(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(NEEDLESS_SPACE, '');
}
