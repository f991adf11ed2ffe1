import type { FoundLength } from './probe-length';
import type { RangedFile } from './ranged-file';

interface Frame {
  sizeBytes: number;
  samples: number;
  sampleRateHertz: number;
  kilobitsPerSecond: number;
  /** Where a Xing header would lie, counted from the frame's start. */
  xingOffset: number;
}

/** A file so short is walked frame by frame. */
const walkedBytes = 4 * 1024 * 1024;
const sampleCount = 48;
const sampleBytes = 64 * 1024;
const syncSearchBytes = 64 * 1024;

/**
 * MPEG audio: the frame count of a Xing, Info or VBRI header; else all frames of a short file; else samples taken all
 * over the file, which give the exact length when the bit rate is constant and a close estimate when it is not.
 */
export async function mp3Length(file: RangedFile, audioStart: number): Promise<FoundLength | undefined> {
  const audioEnd = file.sizeBytes - (await id3v1Bytes(file));
  const head = await file.read(audioStart, Math.min(audioEnd, audioStart + syncSearchBytes));
  const sync = findFrames(head);
  if (sync === undefined) return undefined;
  const start = audioStart + sync;
  const first = parseFrame(head, sync)!;
  const frameCount = countedFrames(head.subarray(sync), first);
  if (frameCount) return { seconds: (frameCount * first.samples) / first.sampleRateHertz, exact: true };
  if (audioEnd - start <= walkedBytes) {
    const walked = walkFrames(await file.read(start, audioEnd), 0);
    return { seconds: walked.seconds, exact: true };
  }
  return sampled(file, start, audioEnd);
}

async function sampled(file: RangedFile, start: number, end: number): Promise<FoundLength | undefined> {
  let seconds = 0;
  let bytes = 0;
  const rates = new Set<number>();
  const step = (end - start - sampleBytes) / (sampleCount - 1);
  for (let batch = 0; batch < sampleCount; batch += 8) {
    const positions = Array.from({ length: 8 }, (_, index) => Math.floor(start + (batch + index) * step));
    const windows = await Promise.all(positions.map((at) => file.read(at, at + sampleBytes)));
    for (const window of windows) {
      const sync = findFrames(window);
      if (sync === undefined) continue;
      const walked = walkFrames(window, sync);
      seconds += walked.seconds;
      bytes += walked.bytes;
      for (const rate of walked.rates) rates.add(rate);
    }
  }
  if (bytes === 0) return undefined;
  return { seconds: ((end - start) * seconds) / bytes, exact: rates.size === 1 };
}

/** The frames from `at` on; bytes between frames are skipped up to the next two in a row. */
function walkFrames(bytes: Buffer, at: number): { seconds: number; bytes: number; rates: Set<number> } {
  const rates = new Set<number>();
  let seconds = 0;
  let frameBytes = 0;
  for (let next = at; next + 4 <= bytes.length;) {
    const frame = parseFrame(bytes, next);
    if (frame) {
      seconds += frame.samples / frame.sampleRateHertz;
      frameBytes += frame.sizeBytes;
      rates.add(frame.kilobitsPerSecond);
      next += frame.sizeBytes;
      continue;
    }
    const sync = findFrames(bytes, next);
    if (sync === undefined) break;
    next = sync;
  }
  return { seconds, bytes: frameBytes, rates };
}

/** The first place with two frames in a row, or with one that ends where the bytes end. */
function findFrames(bytes: Buffer, from = 0): number | undefined {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = parseFrame(bytes, at);
    if (!frame) continue;
    const next = at + frame.sizeBytes;
    const following = parseFrame(bytes, next);
    if (following ? following.sampleRateHertz === frame.sampleRateHertz : next === bytes.length) return at;
  }
  return undefined;
}

/** Frames as a Xing, Info or VBRI header in the first frame counts them. */
function countedFrames(bytes: Buffer, first: Frame): number | undefined {
  const { xingOffset } = first;
  const name = bytes.toString('latin1', xingOffset, xingOffset + 4);
  if ((name === 'Xing' || name === 'Info') && bytes.length >= xingOffset + 12)
    return bytes.readUInt32BE(xingOffset + 4) & 1 ? bytes.readUInt32BE(xingOffset + 8) : undefined;
  if (bytes.toString('latin1', 36, 40) === 'VBRI' && bytes.length >= 54) return bytes.readUInt32BE(50);
  return undefined;
}

async function id3v1Bytes(file: RangedFile): Promise<number> {
  const { bytes } = await file.tail(128);
  return bytes.length === 128 && bytes.toString('latin1', 0, 3) === 'TAG' ? 128 : 0;
}

/** kbit/s by bit rate index, for layers I, II and III of MPEG 1, then layer I and the others of MPEG 2 and 2.5. */
const kilobits = {
  v1l1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  v1l2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  v1l3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  v2l1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  v2l2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

function parseFrame(bytes: Buffer, at: number): Frame | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const version = (header >>> 19) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const layer = 4 - ((header >>> 17) & 3);
  const rateIndex = (header >>> 10) & 3;
  const isMpeg1 = version === 3;
  if (header >>> 21 !== 0x7ff || version === 1 || layer === 4 || rateIndex === 3) return undefined;
  const table = isMpeg1
    ? [kilobits.v1l1, kilobits.v1l2, kilobits.v1l3][layer - 1]!
    : layer === 1
      ? kilobits.v2l1
      : kilobits.v2l2;
  const kilobitsPerSecond = table[((header >>> 12) & 15) - 1];
  if (kilobitsPerSecond === undefined) return undefined;
  const sampleRateHertz = [44_100, 48_000, 32_000][rateIndex]! / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && !isMpeg1 ? 576 : 1152;
  const slotBytes = layer === 1 ? 4 : 1;
  const slots =
    Math.floor((samples * kilobitsPerSecond * 125) / sampleRateHertz / slotBytes) + ((header >>> 9) & 1);
  const isMono = ((header >>> 6) & 3) === 3;
  const sideInfoBytes = isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    sizeBytes: slots * slotBytes,
    samples,
    sampleRateHertz,
    kilobitsPerSecond,
    xingOffset: 4 + sideInfoBytes,
  };
}
