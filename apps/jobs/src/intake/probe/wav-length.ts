import type { FoundLength } from './probe-length';
import type { RangedFile } from './ranged-file';

const unknownSize = 0xffff_ffff;
const mostChunks = 64;

/**
 * RIFF, RF64 and BW64: the bytes of the chunk `data` by the byte rate of `fmt `, which every codec in a WAV states.
 * Recorders that write to a pipe leave the size 0 or all ones: then the data reaches to the object's end, as it also
 * does when a file was cut off.
 */
export async function wavLength(file: RangedFile): Promise<FoundLength | undefined> {
  let byteRate = 0;
  let data64Bytes: number | undefined;
  let at = 12;
  for (let chunks = 0; chunks < mostChunks; chunks++) {
    const header = await file.read(at, at + 8);
    if (header.length < 8) return undefined;
    const id = header.toString('latin1', 0, 4);
    const statedBytes = header.readUInt32LE(4);
    const body = at + 8;
    if (id === 'fmt ') {
      const format = await file.read(body, body + 16);
      if (format.length === 16) byteRate = format.readUInt32LE(8);
    } else if (id === 'ds64') {
      const sizes = await file.read(body, body + 16);
      if (sizes.length === 16) data64Bytes = Number(sizes.readBigUInt64LE(8));
    } else if (id === 'data') {
      const restBytes = file.sizeBytes - body;
      const wholeBytes = statedBytes === unknownSize ? (data64Bytes ?? 0) : statedBytes;
      const isStated = wholeBytes > 0 && wholeBytes <= restBytes;
      return { seconds: (isStated ? wholeBytes : restBytes) / byteRate, exact: true };
    }
    at = body + statedBytes + (statedBytes % 2);
  }
  return undefined;
}
