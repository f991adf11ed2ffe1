import { lastFragmentEnd, readFragment } from './mp4-fragments';
import { Mp4Boxes, type Mp4Box } from './mp4-boxes';
import type { FoundLength } from './probe-length';
import { BudgetSpent, type RangedFile } from './ranged-file';

/** The first track of sound, which is the one that is decoded. */
interface AudioTrack {
  id: number;
  unitsPerSecond: number;
  /** As the header of its media states it; 0 in a fragmented recording. */
  units: number;
  /** In units of the film: what an edit list leaves of it; 0 where there is none. */
  editedFilmUnits: number;
}

interface Film {
  unitsPerSecond: number;
  track: AudioTrack | undefined;
  /** In units of the film, of all fragments together; 0 where it is not stated. */
  fragmentedFilmUnits: number;
  /** The length of a sample of a fragment that states none. */
  defaultUnits: Map<number, number>;
}

/** The bytes of a header that this reads; a list of edits has at most so many entries, a film so many tracks. */
const HEADER_BYTES = 64;
const MOST_EDITS = 1_000;
const MOST_TRACKS = 256;

/**
 * MP4 and M4A: the audio track's length as the index states it; for fragmented recordings without one the last fragment,
 * which tells at the price of one read what walking through all of them would; where that one does not say when it is, all
 * of them. Boxes: ISO/IEC 14496-12. The headers alone are read, so that an index of millions of entries, or of nothing
 * but tracks, costs no more than another.
 */
export async function mp4Length(file: RangedFile): Promise<FoundLength | undefined> {
  const boxes = new Mp4Boxes(file);
  const whole = { start: 0, end: file.sizeBytes };
  for await (const box of boxes.within(whole)) {
    if (box.type !== 'moov') continue;
    const film = await readFilm(boxes, box);
    return film.track && (await lengthOf(film, film.track, file, boxes, box));
  }
  return undefined;
}

async function lengthOf(
  { unitsPerSecond: filmUnitsPerSecond, fragmentedFilmUnits, defaultUnits }: Film,
  { id, unitsPerSecond, units, editedFilmUnits }: AudioTrack,
  file: RangedFile,
  boxes: Mp4Boxes,
  moov: Mp4Box,
): Promise<FoundLength | undefined> {
  if (units > 0) {
    const edited = editedFilmUnits / filmUnitsPerSecond;
    const seconds = units / unitsPerSecond;
    // Edits leave out; what they add is silence, which is no part of the recording.
    return { seconds: edited > 0 ? Math.min(edited, seconds) : seconds, exact: true };
  }
  const fallbackUnits = defaultUnits.get(id) ?? 0;
  const end = await lastFragmentEnd(file, id, fallbackUnits);
  if (end !== undefined && end > 0) return { seconds: end / unitsPerSecond, exact: false };
  if (fragmentedFilmUnits > 0) return { seconds: fragmentedFilmUnits / filmUnitsPerSecond, exact: false };
  try {
    let all = 0;
    for await (const box of boxes.within({ start: moov.end, end: file.sizeBytes })) {
      if (box.type === 'moof') all += (await readFragment(file, box, id, fallbackUnits))?.units ?? 0;
    }
    return { seconds: all / unitsPerSecond, exact: true };
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

async function readFilm(boxes: Mp4Boxes, moov: Mp4Box): Promise<Film> {
  const film: Film = { unitsPerSecond: 0, track: undefined, fragmentedFilmUnits: 0, defaultUnits: new Map() };
  let tracks = 0;
  for await (const box of boxes.within(moov)) {
    if (box.type === 'mvhd')
      film.unitsPerSecond = timesOf(await boxes.content(box, HEADER_BYTES)).unitsPerSecond;
    if (box.type === 'trak' && !film.track && ++tracks <= MOST_TRACKS)
      film.track = await readTrack(boxes, box);
    if (box.type !== 'mvex') continue;
    for await (const inner of boxes.within(box)) {
      const content = await boxes.content(inner, HEADER_BYTES);
      if (inner.type === 'mehd' && content.length >= 8)
        film.fragmentedFilmUnits = content[0] === 1 ? bigUnits(content, 4) : content.readUInt32BE(4);
      if (inner.type === 'trex' && content.length >= 16)
        film.defaultUnits.set(content.readUInt32BE(4), content.readUInt32BE(12));
    }
  }
  return film;
}

/** @returns undefined for a track of anything but sound, or of no known speed */
async function readTrack(boxes: Mp4Boxes, trak: Mp4Box): Promise<AudioTrack | undefined> {
  const track: AudioTrack = { id: 0, unitsPerSecond: 0, units: 0, editedFilmUnits: 0 };
  let isSound = false;
  for await (const box of boxes.within(trak)) {
    if (box.type === 'tkhd') {
      const content = await boxes.content(box, HEADER_BYTES);
      const at = content[0] === 1 ? 20 : 12;
      if (content.length >= at + 4) track.id = content.readUInt32BE(at);
    }
    if (box.type === 'edts')
      for await (const inner of boxes.within(box))
        if (inner.type === 'elst')
          track.editedFilmUnits = editedUnits(await boxes.content(inner, 8 + MOST_EDITS * 20));
    if (box.type !== 'mdia') continue;
    for await (const inner of boxes.within(box)) {
      if (inner.type === 'mdhd') Object.assign(track, timesOf(await boxes.content(inner, HEADER_BYTES)));
      if (inner.type === 'hdlr')
        isSound = (await boxes.content(inner, 12)).toString('latin1', 8, 12) === 'soun';
    }
  }
  return isSound && track.unitsPerSecond > 0 ? track : undefined;
}

/** Of `mvhd` and `mdhd`, which begin alike. All ones mean that the length is not known. */
function timesOf(header: Buffer): { unitsPerSecond: number; units: number } {
  const is64Bit = header[0] === 1;
  const at = is64Bit ? 20 : 12;
  if (header.length < at + (is64Bit ? 12 : 8)) return { unitsPerSecond: 0, units: 0 };
  const units = is64Bit ? bigUnits(header, at + 4) : header.readUInt32BE(at + 4);
  return { unitsPerSecond: header.readUInt32BE(at), units: units === 0xffff_ffff ? 0 : units };
}

/** What an edit list plays of the media, without the pauses that it puts in. */
function editedUnits(list: Buffer): number {
  if (list.length < 8) return 0;
  const is64Bit = list[0] === 1;
  const entryBytes = is64Bit ? 20 : 12;
  const entries = Math.min(list.readUInt32BE(4), MOST_EDITS);
  let units = 0;
  for (let at = 8, entry = 0; entry < entries && at + entryBytes <= list.length; entry++, at += entryBytes) {
    const isPause = is64Bit ? list.readBigInt64BE(at + 8) === -1n : list.readInt32BE(at + 4) === -1;
    if (!isPause) units += is64Bit ? bigUnits(list, at) : list.readUInt32BE(at);
  }
  return units;
}

/** A 64-bit number; all ones, which mean "not known", as 0. */
function bigUnits(bytes: Buffer, at: number): number {
  const units = bytes.readBigUInt64BE(at);
  return units === 0xffff_ffff_ffff_ffffn ? 0 : Number(units);
}
