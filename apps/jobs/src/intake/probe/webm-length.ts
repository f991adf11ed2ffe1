import type { FoundLength } from './probe-length';
import type { RangedFile } from './ranged-file';

const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  cues: 0x1c53bb6b,
};
/** Of all clusters that are tried together; a cluster of half a minute has a few thousand. */
const MOST_ELEMENTS = 100_000;
interface Walk {
  elementsLeft: number;
}
const clusterMagic = Buffer.from('1f43b675', 'hex');
const headBytes = 128 * 1024;
const latestStartSeconds = 10;

/**
 * WebM and Matroska: the length that is stated, or for live recordings, which state none, the last block's time.
 * Element ids: https://www.rfc-editor.org/rfc/rfc9559. A library that reads these files was found to loop for ever on
 * some damaged ones, so this is ours.
 */
export async function webmLength(file: RangedFile): Promise<FoundLength | undefined> {
  const head = await file.read(0, headBytes);
  const { secondsPerTick, durationTicks } = segmentInfo(head);
  if (durationTicks > 0) return { seconds: durationTicks * secondsPerTick, exact: true };
  const walk: Walk = { elementsLeft: MOST_ELEMENTS };
  const firstAt = head.indexOf(clusterMagic);
  const first = firstAt < 0 ? undefined : clusterTimes(head.subarray(firstAt), walk);
  for (const tailBytes of [64 * 1024, 512 * 1024, 4 * 1024 * 1024]) {
    const { bytes } = await file.tail(tailBytes);
    for (
      let at = bytes.lastIndexOf(clusterMagic);
      at >= 0 && walk.elementsLeft > 0;
      at = at > 0 ? bytes.lastIndexOf(clusterMagic, at - 1) : -1
    ) {
      const last = clusterTimes(bytes.subarray(at), walk);
      if (!last) continue;
      const startSeconds = (first?.start ?? 0) * secondsPerTick;
      const endSeconds = last.end * secondsPerTick;
      return { seconds: endSeconds - (startSeconds > latestStartSeconds ? startSeconds : 0), exact: false };
    }
    if (tailBytes >= file.sizeBytes) return undefined;
  }
  return undefined;
}

/** What the recording says of itself before its sound begins. A tick is a millisecond unless it says otherwise. */
function segmentInfo(head: Buffer): { secondsPerTick: number; durationTicks: number } {
  const segment = elements(head).find(({ id }) => id === ids.segment);
  const info = elements(segment?.body ?? Buffer.alloc(0)).find(({ id }) => id === ids.info);
  const entries = elements(info?.body ?? Buffer.alloc(0));
  const scale = entries.find(({ id }) => id === ids.timestampScale)?.body;
  const duration = entries.find(({ id }) => id === ids.duration)?.body;
  const nanoseconds = scale && scale.length >= 1 && scale.length <= 6 ? scale.readUIntBE(0, scale.length) : 0;
  return { secondsPerTick: (nanoseconds || 1_000_000) / 1e9, durationTicks: duration ? float(duration) : 0 };
}

interface Element {
  id: number;
  /** As much of it as is there: a segment is longer than any head. */
  body: Buffer;
}

function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  // Each step goes at least two bytes on, so that no file can keep this from ending.
  for (let at = 0; at < bytes.length;) {
    const id = elementId(bytes, at);
    const size = id && vint(bytes, at + id.lengthBytes);
    if (!id || !size) break;
    const body = at + id.lengthBytes + size.lengthBytes;
    found.push({ id: id.value, body: bytes.subarray(body, body + size.value) });
    at = body + size.value;
  }
  return found;
}

function float(bytes: Buffer): number {
  if (bytes.length === 4) return bytes.readFloatBE(0);
  return bytes.length === 8 ? bytes.readDoubleBE(0) : 0;
}

/** Ticks at which a cluster begins and its last block begins, as far as its bytes are there. */
function clusterTimes(bytes: Buffer, walk: Walk): { start: number; end: number } | undefined {
  walk.elementsLeft--;
  let at = 4 + (vint(bytes, 4)?.lengthBytes ?? bytes.length);
  let start: number | undefined;
  let latest = 0;
  while (at < bytes.length) {
    if (--walk.elementsLeft < 0) return undefined;
    const id = elementId(bytes, at);
    const size = id && vint(bytes, at + id.lengthBytes);
    if (!id || !size || id.value === ids.cluster || id.value === ids.cues) break;
    const body = at + id.lengthBytes + size.lengthBytes;
    const content = bytes.subarray(body, body + size.value);
    if (id.value === ids.timestamp && content.length >= 1 && content.length <= 6)
      start = content.readUIntBE(0, content.length);
    if (id.value === ids.simpleBlock) latest = Math.max(latest, blockTicks(content));
    if (id.value === ids.blockGroup && content[0] === ids.block) {
      const inner = vint(content, 1);
      if (inner) latest = Math.max(latest, blockTicks(content.subarray(1 + inner.lengthBytes)));
    }
    at = body + size.value;
  }
  return start === undefined ? undefined : { start, end: start + latest };
}

/** A block's time within its cluster, behind the number of its track. */
function blockTicks(block: Buffer): number {
  const track = vint(block, 0);
  return track && block.length >= track.lengthBytes + 2 ? block.readInt16BE(track.lengthBytes) : 0;
}

function elementId(bytes: Buffer, at: number): { value: number; lengthBytes: number } | undefined {
  const lengthBytes = at < bytes.length ? Math.clz32(bytes[at]!) - 23 : 9;
  if (lengthBytes > 4 || at + lengthBytes > bytes.length) return undefined;
  return { value: bytes.readUIntBE(at, lengthBytes), lengthBytes };
}

/** EBML's number of variable length. All ones mean "unknown", which is here as good as too large. */
function vint(bytes: Buffer, at: number): { value: number; lengthBytes: number } | undefined {
  const first = bytes[at];
  if (first === undefined || first === 0) return undefined;
  const lengthBytes = Math.clz32(first) - 23;
  if (at + lengthBytes > bytes.length) return undefined;
  let value = first & (0xff >>> lengthBytes);
  for (let index = 1; index < lengthBytes; index++) value = value * 256 + bytes[at + index]!;
  return { value, lengthBytes };
}
