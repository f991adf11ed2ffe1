import type { FoundLength } from './probe-length';
import type { RangedFile } from './ranged-file';

/** What STREAMINFO states; `totalSamples` is 0 when the encoder did not know. */
export interface FlacStreamInfo {
  sampleRateHertz: number;
  totalSamples: number;
  blockSamples: number;
}

/** Reads the 34 bytes of STREAMINFO. */
export function parseStreamInfo(info: Buffer): FlacStreamInfo {
  return {
    blockSamples: info.readUInt16BE(2),
    sampleRateHertz: info.readUIntBE(10, 3) >>> 4,
    totalSamples: (info[13]! & 0x0f) * 2 ** 32 + info.readUInt32BE(14),
  };
}

/** The samples that STREAMINFO states, or else the position of the last frame. */
export async function flacLength(file: RangedFile, start: number): Promise<FoundLength | undefined> {
  const bytes = await file.read(start + 8, start + 42);
  if (bytes.length < 34) return undefined;
  const info = parseStreamInfo(bytes);
  if (info.totalSamples > 0) return { seconds: info.totalSamples / info.sampleRateHertz, exact: true };
  for (const tailBytes of [64 * 1024, 1024 * 1024]) {
    const tail = await file.tail(tailBytes);
    const endSample = lastFrameEnd(tail.bytes, info);
    if (endSample !== undefined) return { seconds: endSample / info.sampleRateHertz, exact: false };
  }
  return undefined;
}

/** The sample behind the last frame whose header passes its checksum. */
function lastFrameEnd(bytes: Buffer, info: FlacStreamInfo): number | undefined {
  for (let at = bytes.lastIndexOf(0xff); at >= 0; at = at > 0 ? bytes.lastIndexOf(0xff, at - 1) : -1) {
    const end = frameEnd(bytes.subarray(at, at + 16), info);
    if (end !== undefined) return end;
  }
  return undefined;
}

function frameEnd(header: Buffer, info: FlacStreamInfo): number | undefined {
  if (header.length < 6 || (header[1]! & 0xfe) !== 0xf8 || header[3]! & 1) return undefined;
  const blockCode = header[2]! >>> 4;
  const rateCode = header[2]! & 15;
  const number = codedNumber(header, 4);
  if (!number || blockCode === 0 || rateCode === 15) return undefined;
  let at = 4 + number.lengthBytes;
  let samples = blockCode === 1 ? 192 : blockCode <= 5 ? 144 << blockCode : 1 << blockCode;
  if (blockCode === 6) samples = (header[at++] ?? 0) + 1;
  if (blockCode === 7) {
    samples = ((header[at] ?? 0) << 8) + (header[at + 1] ?? 0) + 1;
    at += 2;
  }
  at += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  if (at >= header.length || crc8(header.subarray(0, at)) !== header[at]) return undefined;
  const isVariable = (header[1]! & 1) === 1;
  return (isVariable ? number.value : number.value * info.blockSamples) + samples;
}

/** A number coded as UTF-8 codes characters, up to 36 bits. */
function codedNumber(bytes: Buffer, at: number): { value: number; lengthBytes: number } | undefined {
  const first = bytes[at]!;
  const lengthBytes = first < 0x80 ? 1 : Math.clz32(~(first << 24));
  if (lengthBytes > 7 || at + lengthBytes > bytes.length || (first >= 0x80 && lengthBytes < 2))
    return undefined;
  let value = lengthBytes === 1 ? first : first & (0x7f >>> lengthBytes);
  for (let index = 1; index < lengthBytes; index++) {
    if ((bytes[at + index]! & 0xc0) !== 0x80) return undefined;
    value = value * 64 + (bytes[at + index]! & 0x3f);
  }
  return { value, lengthBytes };
}

function crc8(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
}
