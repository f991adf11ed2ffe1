import { MP4, QTFF } from 'mediabunny';
import { withAudioTrack } from './library';
import type { FoundLength } from './probe-length';
import { BudgetSpent, type RangedFile } from './ranged-file';

/**
 * MP4 and M4A: the audio track's length as the index states it; for fragmented recordings without an index the
 * fragments themselves, or the last one alone when they are many.
 */
export async function mp4Length(file: RangedFile): Promise<FoundLength | undefined> {
  return withAudioTrack(file, [MP4, QTFF], async (track) => {
    const stated = await track.getDurationFromMetadata();
    if (stated !== null && stated > 0) return { seconds: stated, exact: true };
    // The last fragment tells at the price of one read what walking through all of them would.
    const last = await lastFragmentEnd(file, track.id, track.timeResolution);
    if (last !== undefined) return { seconds: last, exact: false };
    try {
      return { seconds: await track.computeDuration(), exact: true };
    } catch (error) {
      if (error instanceof BudgetSpent) return undefined;
      throw error;
    }
  });
}

interface Box {
  type: string;
  body: Buffer;
}

async function lastFragmentEnd(file: RangedFile, trackId: number, unitsPerSecond: number) {
  for (const tailBytes of [64 * 1024, 1024 * 1024, 4 * 1024 * 1024]) {
    const { bytes } = await file.tail(tailBytes);
    for (let at = bytes.lastIndexOf('moof'); at >= 4; at = bytes.lastIndexOf('moof', at - 1)) {
      const moof = boxesOf(bytes.subarray(at - 4))[0];
      const ends = boxesOf(moof?.body ?? Buffer.alloc(0))
        .filter(({ type }) => type === 'traf')
        .map(({ body }) => trackFragmentEnd(body, trackId))
        .filter((end) => end !== undefined);
      if (ends.length > 0) return Math.max(...ends) / unitsPerSecond;
    }
    if (tailBytes >= file.sizeBytes) return undefined;
  }
  return undefined;
}

/** End of a track fragment in units of the track; without stated sample lengths, its beginning. */
function trackFragmentEnd(traf: Buffer, trackId: number): number | undefined {
  const boxes = boxesOf(traf);
  const header = boxes.find(({ type }) => type === 'tfhd')?.body;
  const decodeTime = boxes.find(({ type }) => type === 'tfdt')?.body;
  if (!header || header.length < 8 || header.readUInt32BE(4) !== trackId) return undefined;
  if (!decodeTime || decodeTime.length < 8) return undefined;
  const is64Bit = decodeTime[0] === 1 && decodeTime.length >= 12;
  const start = is64Bit ? Number(decodeTime.readBigUInt64BE(4)) : decodeTime.readUInt32BE(4);
  const defaultUnits = defaultSampleUnits(header);
  const runs = boxes.filter(({ type }) => type === 'trun');
  return runs.reduce((end, { body }) => end + runUnits(body, defaultUnits), start);
}

function defaultSampleUnits(header: Buffer): number {
  const flags = header.readUInt32BE(0) & 0xff_ffff;
  const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  return flags & 8 && at + 4 <= header.length ? header.readUInt32BE(at) : 0;
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

function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const sizeBytes = bytes.readUInt32BE(at);
    if (sizeBytes < 8 || at + sizeBytes > bytes.length) break;
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      body: bytes.subarray(at + 8, at + sizeBytes),
    });
    at += sizeBytes;
  }
  return boxes;
}
