const longestFilename = 255;
/** Controls, and the invisible characters that reorder or hide what a reader sees. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b-\u200f\u2060-\u2069\ufeff]/gu;

/**
 * A client's file name made safe to show: without folders, control or direction characters, in Unicode normal form C,
 * at most 255 UTF-16 units, its extension kept. `''` when nothing is left.
 */
export function displayFilename(sent: string): string {
  const decoded = decodeEncodedWord(sent);
  const base = decoded.slice(Math.max(decoded.lastIndexOf('/'), decoded.lastIndexOf('\\')) + 1);
  const name = base.toWellFormed().replace(unsafe, '').normalize('NFC').trim();
  if (name.length <= longestFilename) return name;
  const extension = /\.[^.]{1,10}$/.exec(name)?.[0] ?? '';
  const cut = name.slice(0, longestFilename - extension.length);
  // A cut through a surrogate pair would leave half a character.
  return (/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut) + extension;
}

/** .NET clients write a name beyond ASCII as one RFC 2047 word: `=?utf-8?B?…?=`. */
function decodeEncodedWord(sent: string): string {
  const [, encoding, text] = /^=\?utf-8\?([BQ])\?([^?]*)\?=$/i.exec(sent) ?? [];
  if (encoding === undefined || text === undefined) return sent;
  if (encoding.toUpperCase() === 'B') return Buffer.from(text, 'base64').toString('utf8');
  const bytes = text
    .replace(/_/g, ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
