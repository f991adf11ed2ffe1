/** Something that must stand in no log, no metric and no trace. */
export interface Secret {
  what: string;
  text: string;
  /** `token`: any 12 characters of it in a row are too many. `passage`: any 4 words in a row. */
  kind: 'token' | 'passage';
}

/** A text that is looked through: a log file, a page of metrics, what a collector was sent. */
export interface Place {
  where: string;
  text: string;
}

const TOKEN_LENGTH = 12;
/** Base64 of twelve bytes. */
const ENCODED_LENGTH = 16;
const PASSAGE_WORDS = 4;

/** @param shown how many characters of it may be shown, from its beginning */
export function token(what: string, text: string, shown = 0): Secret {
  if (text.length < shown + TOKEN_LENGTH) throw new Error(`${what} is too short to be looked for`);
  return { what, text: text.slice(shown), kind: 'token' };
}

export function passage(what: string, text: string): Secret {
  if (words(text).length < PASSAGE_WORDS) throw new Error(`${what} is too short to be looked for`);
  return { what, text, kind: 'passage' };
}

/**
 * Every secret that shows up in a place: as it is, escaped for JSON or a URL, in base64, or as a list of bytes.
 * @returns one line for each secret in each place, with what stands around it
 */
export function leaks(secrets: readonly Secret[], places: readonly Place[]): string[] {
  const tokens = secrets.filter(({ kind }) => kind === 'token');
  const pieces = piecesOf(tokens, ({ text }) => windows([...text], TOKEN_LENGTH).map((run) => run.join('')));
  const encoded = piecesOf(tokens, ({ text }) => encodedPieces(text));
  const passages = piecesOf(
    secrets.filter(({ kind }) => kind === 'passage'),
    ({ text }) => windows(words(text), PASSAGE_WORDS).map((run) => run.join(' ')),
  );
  return places.flatMap(({ where, text }) => {
    const found = new Map([
      ...inText(pieces, TOKEN_LENGTH, text),
      ...inText(pieces, TOKEN_LENGTH, unescaped(text)),
      ...inText(encoded, ENCODED_LENGTH, text),
      ...inWords(passages, words(text)),
    ]);
    return [...found].map(([what, around]) => `${what} in ${where}: …${around}…`);
  });
}

/** What to look for, and which secret it belongs to. */
type Pieces = ReadonlyMap<string, string>;

function piecesOf(secrets: readonly Secret[], pieces: (secret: Secret) => string[]): Pieces {
  return new Map(secrets.flatMap((secret) => pieces(secret).map((piece) => [piece, secret.what] as const)));
}

/** What comes before it in a text that is encoded as a whole moves it by up to two bytes. */
function encodedPieces(text: string): string[] {
  return ['', 'x', 'xx'].flatMap((before) => {
    const encoded = Buffer.from(before + text)
      .toString('base64')
      .replace(/=+$/, '')
      .slice(4, -1);
    return windows([...encoded], ENCODED_LENGTH).map((run) => run.join(''));
  });
}

/** Without the escapes of JSON and of URLs, and lists of bytes as the characters that they stand for. */
function unescaped(text: string): string {
  return text
    .replace(/\\+(["\\/])/g, '$1')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/\d{1,3}(,\d{1,3}){11,}/g, (list) => String.fromCharCode(...list.split(',').map(Number)));
}

function inText(pieces: Pieces, length: number, text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at + length <= text.length; at++) {
    const what = pieces.get(text.slice(at, at + length));
    if (what !== undefined && !found.has(what))
      found.set(what, text.slice(Math.max(0, at - 200), at + length + 100));
  }
  return found;
}

function inWords(pieces: Pieces, all: string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at + PASSAGE_WORDS <= all.length; at++) {
    const what = pieces.get(all.slice(at, at + PASSAGE_WORDS).join(' '));
    if (what !== undefined && !found.has(what))
      found.set(what, all.slice(Math.max(0, at - 15), at + 15).join(' '));
  }
  return found;
}

function windows<T>(items: readonly T[], length: number): T[][] {
  return items.slice(0, Math.max(0, items.length - length + 1)).map((_, at) => items.slice(at, at + length));
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
