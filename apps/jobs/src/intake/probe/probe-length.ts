import { flacLength } from './flac-length';
import { mp3Length } from './mp3-length';
import { mp4Length } from './mp4-length';
import { oggLength } from './ogg-length';
import { RangedFile, type ProbedFile } from './ranged-file';
import { wavLength } from './wav-length';
import { webmLength } from './webm-length';

/** A length found in a container; `exact` when it is stated there, or counted, rather than estimated. */
export interface FoundLength {
  seconds: number;
  exact: boolean;
}

export type ProbedLength =
  ({ ok: true } & FoundLength) | { ok: false; refusal: { code: 'undecodable_audio'; detail: string } };

/** Far more than any well-formed file needs; an hour of fragments without an index comes nearest. */
const budgetBytes = 12 * 1024 * 1024;
const budgetReads = 100;
const longestProbeMs = 20_000;

/**
 * Finds a recording's length from its container by a few ranged reads, for the price that is held. The exact length is
 * measured when it is decoded; here it is enough to be near, and never to hang or fail on hostile bytes.
 * @param file.filename only for the message of a refusal: the bytes decide what the file is
 * @throws what `read` failed with, or Error when the reads together take too long
 */
export async function probeLength(file: ProbedFile & { filename?: string }): Promise<ProbedLength> {
  const ranged = new RangedFile(file, budgetBytes, budgetReads);
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The recording could not be probed in time')), longestProbeMs);
  });
  try {
    return await Promise.race([probe(ranged, file.filename), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

async function probe(file: RangedFile, filename: string | undefined): Promise<ProbedLength> {
  let found: FoundLength | undefined;
  try {
    found = await lengthOf(file);
  } catch (error) {
    // Parsers stumble over hostile bytes in ways of their own; only a failing store is no fault of the file.
    if (file.failure) throw file.failure.cause;
    if (!(error instanceof Error)) throw error;
  }
  if (file.failure) throw file.failure.cause;
  if (found && Number.isFinite(found.seconds) && found.seconds > 0) return { ok: true, ...found };
  const name = filename === undefined ? 'the recording' : `"${filename}"`;
  const detail = `file: the length of ${name} cannot be found: it is damaged, or holds no audio.`;
  return { ok: false, refusal: { code: 'undecodable_audio', detail } };
}

async function lengthOf(file: RangedFile): Promise<FoundLength | undefined> {
  const head = (await file.read(0, 16)).toString('latin1');
  if (/^(RIFF|RF64|BW64)....WAVE/s.test(head)) return wavLength(file);
  if (head.startsWith('OggS')) return oggLength(file);
  if (head.startsWith('fLaC')) return flacLength(file, 0);
  if (head.startsWith('\x1a\x45\xdf\xa3')) return webmLength(file);
  if (head.slice(4, 8) === 'ftyp') return mp4Length(file);
  const audioStart = await afterId3(file);
  const afterTag = (await file.read(audioStart, audioStart + 4)).toString('latin1');
  return afterTag === 'fLaC' ? flacLength(file, audioStart) : mp3Length(file, audioStart);
}

/** Where the audio begins behind ID3v2 tags; some programs write several. */
async function afterId3(file: RangedFile): Promise<number> {
  let at = 0;
  for (let tags = 0; tags < 4; tags++) {
    const header = await file.read(at, at + 10);
    if (header.length < 10 || header.toString('latin1', 0, 3) !== 'ID3') break;
    const sizeBytes = [6, 7, 8, 9].reduce((size, index) => size * 128 + (header[index]! & 0x7f), 0);
    at += 10 + sizeBytes + (header[5]! & 0x10 ? 10 : 0);
  }
  return at;
}
