import { hasAcceptedExtension } from '../upload/audio-kind';
import { displayFilename } from '../upload/display-filename';

/** What servers call the accepted containers, and the extension that belongs to each. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mpeg': '.mp3',
  'audio/mp3': '.mp3',
  'audio/wav': '.wav',
  'audio/wave': '.wav',
  'audio/x-wav': '.wav',
  'audio/vnd.wave': '.wav',
  'audio/ogg': '.ogg',
  'audio/opus': '.ogg',
  'application/ogg': '.ogg',
  'audio/flac': '.flac',
  'audio/x-flac': '.flac',
  'audio/mp4': '.m4a',
  'audio/m4a': '.m4a',
  'audio/x-m4a': '.m4a',
  'video/mp4': '.mp4',
  'audio/webm': '.webm',
  'video/webm': '.webm',
};
const NAMELESS = 'recording';

/**
 * What a fetched recording is called: as its server names it, else as its address ends; with the extension of its media type
 * where neither has one that is accepted.
 * @param headers names in lower case
 * @returns undefined where nothing says that it is a recording
 */
export function remoteFilename(
  url: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const text = (name: string) => String(headers[name] ?? '');
  const names = [nameInDisposition(text('content-disposition')), nameInPath(url)].map(displayFilename);
  const accepted = names.find(hasAcceptedExtension);
  if (accepted !== undefined) return accepted;
  const mediaType = text('content-type').split(';', 1)[0]!.trim().toLowerCase();
  const extension = Object.hasOwn(EXTENSIONS, mediaType) ? EXTENSIONS[mediaType] : undefined;
  return extension === undefined
    ? undefined
    : displayFilename(`${names.find((name) => name !== '') ?? NAMELESS}${extension}`);
}

function nameInPath(url: string): string {
  return unescaped(new URL(url).pathname.split('/').at(-1) ?? '');
}

/** RFC 6266: the name in UTF-8 before the one for older programs. */
function nameInDisposition(header: string): string {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) return unescaped(extended);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  return quoted === undefined ? (token ?? '') : quoted.replace(/\\(.)/g, '$1');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
