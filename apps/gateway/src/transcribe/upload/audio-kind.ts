/** The containers that are accepted. The name is also the usual file extension. */
export type AudioKind = 'mp3' | 'wav' | 'ogg' | 'flac' | 'mp4' | 'webm';

/** How many leading bytes `audioKindOf` wants to see; fewer are enough when the file is shorter. */
export const sniffedBytes = 4096;

export const acceptedExtensions = ['.mp3', '.wav', '.ogg', '.flac', '.m4a', '.mp4', '.webm'] as const;

export const contentTypes: Record<AudioKind, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
};

/** Whether the name ends in one of the accepted extensions, in whatever case. */
export function hasAcceptedExtension(filename: string): boolean {
  const lower = filename.toLowerCase();
  return acceptedExtensions.some((extension) => lower.endsWith(extension) && lower.length > extension.length);
}

/** The media type that a name promises, or undefined where it does not end in an accepted extension. */
export function contentTypeOf(filename: string): string | undefined {
  if (!hasAcceptedExtension(filename)) return undefined;
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return contentTypes[extension === 'm4a' ? 'mp4' : (extension as AudioKind)];
}

/**
 * The container that the leading bytes belong to, `undefined` when it is none of the accepted. It need not be the one
 * that the file's extension names: the decoder goes by the bytes as well.
 */
export function audioKindOf(head: Buffer): AudioKind | undefined {
  if (isRiffWave(head)) return 'wav';
  if (startsWith(head, 'OggS')) return 'ogg';
  if (startsWith(head, 'fLaC')) return 'flac';
  if (isMp4(head)) return 'mp4';
  if (isWebm(head)) return 'webm';
  if (startsWith(head, 'ID3')) return startsWith(head.subarray(id3Bytes(head)), 'fLaC') ? 'flac' : 'mp3';
  return hasMpegFrames(head) ? 'mp3' : undefined;
}

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text;
}

/** RIFF, its variants for more than 4 GB among them. */
function isRiffWave(head: Buffer): boolean {
  return ['RIFF', 'RF64', 'BW64'].some((form) => startsWith(head, form)) && startsWith(head, 'WAVE', 8);
}

/** Still pictures come in the same boxes as recordings; only their brand tells. */
const pictureBrands = new Set([
  'heic',
  'heix',
  'hevc',
  'heim',
  'heis',
  'mif1',
  'msf1',
  'avif',
  'avis',
  'jp2 ',
  'crx ',
]);

function isMp4(head: Buffer): boolean {
  return (
    startsWith(head, 'ftyp', 4) && head.length >= 12 && !pictureBrands.has(head.toString('latin1', 8, 12))
  );
}

/** EBML, of a document type that is WebM or the Matroska it is a subset of: some browsers label recordings so. */
function isWebm(head: Buffer): boolean {
  if (head.length < 4 || head.readUInt32BE(0) !== 0x1a45dfa3) return false;
  const at = head.indexOf(Buffer.from([0x42, 0x82]));
  return at > 0 && (startsWith(head, 'webm', at + 3) || startsWith(head, 'matroska', at + 3));
}

/** Length of an ID3v2 tag with its header. */
function id3Bytes(head: Buffer): number {
  if (head.length < 10) return head.length;
  const [a, b, c, d] = [head[6]!, head[7]!, head[8]!, head[9]!];
  return 10 + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f));
}

/**
 * Two MPEG audio frames in a row, at once or after leading zeros that some recorders write. One alone occurs by chance
 * in random bytes; it suffices when the file ends before a second could begin. ADTS (raw AAC) has a layer that MPEG
 * audio does not, and so is none.
 */
function hasMpegFrames(head: Buffer): boolean {
  let start = 0;
  while (head[start] === 0) start++;
  const frameBytes = mpegFrameBytes(head, start);
  if (frameBytes === undefined) return false;
  const next = start + frameBytes;
  return next + 4 > head.length
    ? head.length < sniffedBytes || start > 0
    : mpegFrameBytes(head, next) !== undefined;
}

const layer3KilobitsPerSecond = {
  version1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  version2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const version1Hertz = [44_100, 48_000, 32_000];

/** Length of the layer III frame whose header is at `at`, `undefined` when there is none. */
function mpegFrameBytes(bytes: Buffer, at: number): number | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const layer = (header >>> 17) & 3;
  const bitrateIndex = (header >>> 12) & 15;
  const rateIndex = (header >>> 10) & 3;
  const isLayer3 = header >>> 21 === 0x7ff && version !== 1 && layer === 1;
  if (!isLayer3 || bitrateIndex === 0 || bitrateIndex === 15 || rateIndex === 3) return undefined;
  const isVersion1 = version === 3;
  const rates = isVersion1 ? layer3KilobitsPerSecond.version1 : layer3KilobitsPerSecond.version2;
  const hertz = version1Hertz[rateIndex]! / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const padding = (header >>> 9) & 1;
  return Math.floor(((isVersion1 ? 144 : 72) * rates[bitrateIndex]! * 1000) / hertz) + padding;
}
