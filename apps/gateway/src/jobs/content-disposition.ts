/**
 * The header by which a browser names what it saves: as it is in UTF-8 (RFC 8187), and once more in plain ASCII for
 * clients that know nothing newer.
 */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%/]/g, '_');
  const exact = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
