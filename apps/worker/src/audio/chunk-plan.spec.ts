import { ChunkCutter, ownPart, type AudioChunk } from './chunk-plan';
import { bytesOf } from './pcm';
import { joined, mixed, noise, seededRandom, silence, syllables } from './synthetic-sound';

/** Blocks of uneven length, as a decoder gives them. */
function* inBlocks(pcm: Int16Array): Generator<Int16Array> {
  const random = seededRandom(3);
  for (let at = 0; at < pcm.length;) {
    const length = 1 + Math.floor(random() * 40_000);
    yield pcm.slice(at, at + length);
    at += length;
  }
}

/** By their bytes: comparing a million numbers one by one takes a minute. */
const isSame = (a: Int16Array, b: Int16Array) => bytesOf(a).equals(bytesOf(b));

async function chunksOf(pcm: Int16Array, chunkSeconds: number) {
  const cutter = new ChunkCutter({ chunkSeconds });
  const chunks: AudioChunk[] = [];
  for await (const chunk of cutter.cut(inBlocks(pcm))) chunks.push(chunk);
  return { cutter, chunks };
}

describe('chunk plan', () => {
  const speech = joined(
    ...Array.from({ length: 12 }, (_, i) => joined(syllables(2 + (i % 3), 100 + i * 10), silence(0.7))),
  );

  const someSyllables = syllables(5);
  const breathless = joined(...Array.from({ length: 20 }, () => someSyllables));

  it.each([
    ['with pauses', speech],
    ['without a pause', breathless],
    ['in loud noise', mixed(speech, noise(speech.length / 16_000, 0.2))],
  ])('own parts are the recording %s: no sample is lost or repeated', async (_, pcm) => {
    const { cutter, chunks } = await chunksOf(pcm, 10);
    expect(chunks.length).toBeGreaterThan(3);
    expect(isSame(joined(...chunks.map((chunk) => ownPart(chunk).pcm)), pcm)).toBe(true);
    expect(cutter.totalSamples).toBe(pcm.length);
    expect(cutter.durationSeconds).toBe(pcm.length / 16_000);
    chunks.forEach((chunk, index) => {
      expect(chunk.index).toBe(index);
      expect(chunk.pcm.length).toBeLessThanOrEqual(160_000);
      expect(chunk.endSeconds - chunk.startSeconds).toBeCloseTo(chunk.pcm.length / 16_000, 9);
      expect(chunk.ownStartSeconds).toBe(index === 0 ? 0 : chunks[index - 1]!.ownEndSeconds);
      expect(chunk.last).toBe(index === chunks.length - 1);
    });
  });

  it('a chunk ends in a pause where there is one, and the next begins there', async () => {
    const { chunks } = await chunksOf(speech, 24);
    expect(chunks.length).toBeGreaterThan(1);
    chunks.forEach(({ pcm, last, startSeconds, endSeconds, ownStartSeconds, ownEndSeconds }) => {
      if (!last) expect(Math.max(...pcm.slice(-1600).map(Math.abs))).toBe(0);
      expect([startSeconds, endSeconds]).toEqual([ownStartSeconds, ownEndSeconds]);
    });
  });

  it('where nobody pauses both neighbours hear four seconds on each side of the border', async () => {
    const { chunks } = await chunksOf(breathless, 40);
    expect(chunks.length).toBeGreaterThan(2);
    chunks.slice(1).forEach((chunk, index) => {
      const before = chunks[index]!;
      expect(before.endSeconds).toBeCloseTo(before.ownEndSeconds + 4, 9);
      expect(chunk.startSeconds).toBeCloseTo(chunk.ownStartSeconds - 4, 9);
      const heardByBoth = 128_000;
      expect(isSame(chunk.pcm.slice(0, heardByBoth), before.pcm.slice(-heardByBoth))).toBe(true);
    });
  });

  it('of a chunk that begins before its own part only the own part is looked at for voices', () => {
    const pcm = Int16Array.from({ length: 160_000 }, (_, index) => index % 1000);
    const chunk = { pcm, startSeconds: 30, ownStartSeconds: 34, ownEndSeconds: 38 };
    const segments = [
      { start: 1, end: 3 },
      { start: 3, end: 5 },
      { start: 7, end: 9.5 },
    ];
    const { pcm: samples, ...own } = ownPart({ ...chunk, segments });
    expect(isSame(samples, pcm.slice(64_000, 128_000))).toBe(true);
    expect(own).toEqual({
      startSeconds: 34,
      segments: [
        { start: 0, end: 1 },
        { start: 3, end: 4 },
      ],
    });
  });

  it('gives one chunk for a recording that just fits, marked as the last', async () => {
    const { chunks } = await chunksOf(syllables(10), 10);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]!.last).toBe(true);
  });

  it('gives no chunk and length zero for an empty recording', async () => {
    const { cutter, chunks } = await chunksOf(new Int16Array(0), 10);
    expect(chunks).toEqual([]);
    expect(cutter.totalSamples).toBe(0);
  });

  it('hands chunks over while later ones are not yet decoded', async () => {
    let asked = 0;
    const endless = (function* () {
      for (;;) yield syllables(1, 100 + asked++);
    })();
    for await (const chunk of new ChunkCutter({ chunkSeconds: 10 }).cut(endless)) {
      if (chunk.index === 2) break;
    }
    expect(asked).toBeLessThanOrEqual(31);
  });
});
