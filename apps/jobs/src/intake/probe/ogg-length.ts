import { parseStreamInfo } from './flac-length';
import type { FoundLength } from './probe-length';
import type { RangedFile } from './ranged-file';

interface OggTrack {
  serial: number;
  /** Of the granule positions, which is not always the rate of the sound. */
  sampleRateHertz: number;
  /** Samples at the start that are decoded and not played. */
  preSkipSamples: number;
}

const headBytes = 64 * 1024;
/** A stream whose first page is further on than this was cut out of a longer one. */
const latestStartSeconds = 10;

/** From the first page of the audio track to its last page, by their granule positions. */
export async function oggLength(file: RangedFile): Promise<FoundLength | undefined> {
  const head = await file.read(0, headBytes);
  const track = findAudioTrack(head);
  if (!track) return undefined;
  const first = pagesOf(head, track.serial).find(({ granule }) => granule > 0)?.granule ?? 0;
  const startSamples = first / track.sampleRateHertz > latestStartSeconds ? first : track.preSkipSamples;
  for (const tailBytes of [64 * 1024, 1024 * 1024]) {
    const tail = await file.tail(tailBytes);
    const last = pagesOf(tail.bytes, track.serial).findLast(({ granule }) => granule > 0);
    if (last) return { seconds: (last.granule - startSamples) / track.sampleRateHertz, exact: true };
  }
  return undefined;
}

/** Every page of the track within `bytes`; -1 where no packet ends on the page. */
function pagesOf(bytes: Buffer, serial: number): { granule: number }[] {
  const pages: { granule: number }[] = [];
  for (
    let at = bytes.indexOf('OggS');
    at >= 0 && at + 27 <= bytes.length;
    at = bytes.indexOf('OggS', at + 4)
  ) {
    if (bytes[at + 4] === 0 && bytes.readUInt32LE(at + 14) === serial)
      pages.push({ granule: Number(bytes.readBigInt64LE(at + 6)) });
  }
  return pages;
}

/** The streams of a file begin together, each with a page of its own that holds the codec's first header. */
function findAudioTrack(head: Buffer): OggTrack | undefined {
  for (let at = 0; at + 27 <= head.length && head.toString('latin1', at, at + 4) === 'OggS';) {
    const segmentCount = head[at + 26]!;
    const lengths = head.subarray(at + 27, at + 27 + segmentCount);
    const body = at + 27 + segmentCount;
    const end = body + lengths.reduce((sum, length) => sum + length, 0);
    const rate = granuleRate(head.subarray(body, end));
    if (rate) return { serial: head.readUInt32LE(at + 14), ...rate };
    at = end;
  }
  return undefined;
}

function granuleRate(packet: Buffer): Omit<OggTrack, 'serial'> | undefined {
  const magic = packet.toString('latin1', 0, 8);
  if (magic === 'OpusHead' && packet.length >= 12)
    return { sampleRateHertz: 48_000, preSkipSamples: packet.readUInt16LE(10) };
  if (magic.startsWith('\x01vorbis') && packet.length >= 16)
    return { sampleRateHertz: packet.readUInt32LE(12), preSkipSamples: 0 };
  if (magic.startsWith('\x7fFLAC') && packet.length >= 51)
    return { sampleRateHertz: parseStreamInfo(packet.subarray(17)).sampleRateHertz, preSkipSamples: 0 };
  if (magic === 'Speex   ' && packet.length >= 40)
    return { sampleRateHertz: packet.readUInt32LE(36), preSkipSamples: 0 };
  return undefined;
}
