import { fileSize } from '../format/size';

/** The endings that the API takes. */
export const ENDINGS = ['.mp3', '.wav', '.ogg', '.flac', '.m4a', '.mp4', '.webm'];

/**
 * Why a file would be refused for certain, so that nobody waits for an upload in vain; undefined where the API
 * decides.
 */
export function plainlyWrong(file: { name: string; size: number }, maxFileBytes: number): string | undefined {
  const ending = /\.[^.]*$/.exec(file.name)?.[0].toLowerCase() ?? '';
  if (!ENDINGS.includes(ending)) return `This type of file is not supported. Use ${ENDINGS.join(', ')}.`;
  if (file.size === 0) return 'The file is empty.';
  if (file.size > maxFileBytes)
    return `The file has ${fileSize(file.size)}; at most ${fileSize(maxFileBytes)} are accepted. Split the recording, or save it in a smaller format.`;
  return undefined;
}
