import type { Mp4Box } from './mp4-boxes';
import { BudgetSpent, type RangedFile } from './ranged-file';

/** A fragment's header is a few hundred bytes, or a few thousand with one entry a sample. */
const MOST_HEADER_BYTES = 256 * 1024;
/** Places of the file's end at which the letters of a fragment stand; more are no fragments. */
const MOST_CANDIDATES = 200;
/** Boxes that are looked at for one question: a fragment of one track has six. */
const MOST_BOXES = 5_000;

export interface TrackFragment {
  /** When it begins, in units of the track; undefined where it does not say. */
  start: number | undefined;
  /** How long it lasts. */
  units: number;
}

/** When the last fragment of the track ends, in units of the track; undefined also where that would cost too much. */
export async function lastFragmentEnd(
  file: RangedFile,
  trackId: number,
  fallbackUnits: number,
): Promise<number | undefined> {
  const boxes = new BoxReader();
  for (const tailBytes of [64 * 1024, 1024 * 1024, 4 * 1024 * 1024]) {
    const { bytes } = await file.tail(tailBytes);
    let candidates = 0;
    for (let at = bytes.lastIndexOf('moof'); at >= 4; at = bytes.lastIndexOf('moof', at - 1)) {
      if (++candidates > MOST_CANDIDATES) break;
      try {
        const [moof] = boxes.within(bytes.subarray(at - 4, at - 4 + MOST_HEADER_BYTES));
        const fragment = moof && trackFragment(boxes, moof.body, trackId, fallbackUnits);
        if (fragment?.start !== undefined) return fragment.start + fragment.units;
      } catch (error) {
        if (error instanceof BudgetSpent) return undefined;
        throw error;
      }
    }
    if (tailBytes >= file.sizeBytes) return undefined;
  }
  return undefined;
}

/** What the fragment under this header holds of the track. @throws BudgetSpent */
export async function readFragment(
  file: RangedFile,
  { start, end }: Mp4Box,
  trackId: number,
  fallbackUnits: number,
): Promise<TrackFragment | undefined> {
  return trackFragment(
    new BoxReader(),
    await file.read(start, Math.min(end, start + MOST_HEADER_BYTES)),
    trackId,
    fallbackUnits,
  );
}

/** The parts of a fragment that belong to the track, as one: from the earliest to the end of all. */
function trackFragment(
  boxes: BoxReader,
  moof: Buffer,
  trackId: number,
  fallbackUnits: number,
): TrackFragment | undefined {
  const parts = [...boxes.within(moof)]
    .filter(({ type }) => type === 'traf')
    .map(({ body }) => partOf(boxes, body, trackId, fallbackUnits))
    .filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const starts = parts.map(({ start }) => start).filter((start) => start !== undefined);
  return {
    start: starts.length === 0 ? undefined : Math.min(...starts),
    units: parts.reduce((sum, { units }) => sum + units, 0),
  };
}

function partOf(
  reader: BoxReader,
  traf: Buffer,
  trackId: number,
  fallbackUnits: number,
): TrackFragment | undefined {
  const boxes = [...reader.within(traf)];
  const header = boxes.find(({ type }) => type === 'tfhd')?.body;
  if (!header || header.length < 8 || header.readUInt32BE(4) !== trackId) return undefined;
  const decodeTime = boxes.find(({ type }) => type === 'tfdt')?.body;
  const defaultUnits = defaultSampleUnits(header) ?? fallbackUnits;
  const runs = boxes.filter(({ type }) => type === 'trun');
  return {
    start: decodeTime && startOf(decodeTime),
    units: runs.reduce((units, { body }) => units + runUnits(body, defaultUnits), 0),
  };
}

function startOf(decodeTime: Buffer): number | undefined {
  if (decodeTime[0] === 1 && decodeTime.length >= 12) return Number(decodeTime.readBigUInt64BE(4));
  return decodeTime.length >= 8 ? decodeTime.readUInt32BE(4) : undefined;
}

function defaultSampleUnits(header: Buffer): number | undefined {
  const flags = header.readUInt32BE(0) & 0xff_ffff;
  const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  return flags & 8 && at + 4 <= header.length ? header.readUInt32BE(at) : undefined;
}

function runUnits(run: Buffer, defaultUnits: number): number {
  if (run.length < 8) return 0;
  const flags = run.readUInt32BE(0) & 0xff_ffff;
  const sampleCount = run.readUInt32BE(4);
  if (!(flags & 0x100)) return sampleCount * defaultUnits;
  const fieldBytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  let units = 0;
  let at = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  for (let sample = 0; sample < sampleCount && at + 4 <= run.length; sample++, at += fieldBytes)
    units += run.readUInt32BE(at);
  return units;
}

interface Box {
  type: string;
  body: Buffer;
}

/** Goes through boxes in memory, and never through more than fragments have: what is looked at may overlap. */
class BoxReader {
  private seen = 0;

  /** Whole boxes, in their order; the first that is not all there ends the row. @throws BudgetSpent */
  *within(bytes: Buffer): Generator<Box> {
    for (let at = 0; at + 8 <= bytes.length;) {
      if (++this.seen > MOST_BOXES) throw new BudgetSpent('The fragments have more boxes than any recording');
      const sizeBytes = bytes.readUInt32BE(at);
      if (sizeBytes < 8 || at + sizeBytes > bytes.length) return;
      yield {
        type: bytes.toString('latin1', at + 4, at + 8),
        body: bytes.subarray(at + 8, at + sizeBytes),
      };
      at += sizeBytes;
    }
  }
}
