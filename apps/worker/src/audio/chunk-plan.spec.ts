import { ChunkCutter, type AudioChunk } from './chunk-plan';
import { joined, seededRandom, silence, syllables } from './synthetic-sound';

/** Blocks of uneven length, as a decoder gives them. */
function* inBlocks(pcm: Int16Array): Generator<Int16Array> {
  const random = seededRandom(3);
  for (let at = 0; at < pcm.length;) {
    const length = 1 + Math.floor(random() * 40_000);
    yield pcm.slice(at, at + length);
    at += length;
  }
}

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

  it('loses and repeats no sample', async () => {
    const { cutter, chunks } = await chunksOf(speech, 10);
    expect(chunks.length).toBeGreaterThan(3);
    expect(joined(...chunks.map(({ pcm }) => pcm))).toEqual(speech);
    expect(cutter.totalSamples).toBe(speech.length);
    expect(cutter.durationSeconds).toBe(speech.length / 16_000);
  });

  it('makes chunks of at most the length asked for that follow one another', async () => {
    const { chunks } = await chunksOf(speech, 10);
    chunks.forEach((chunk, index) => {
      expect(chunk.index).toBe(index);
      expect(chunk.pcm.length).toBeLessThanOrEqual(160_000);
      expect(chunk.startSeconds).toBe(index === 0 ? 0 : chunks[index - 1]!.endSeconds);
      expect(chunk.last).toBe(index === chunks.length - 1);
    });
  });

  it('cuts in silence, not in a word', async () => {
    const { chunks } = await chunksOf(speech, 24);
    expect(chunks.length).toBeGreaterThan(1);
    for (const { pcm, last } of chunks) {
      if (!last) expect(Math.max(...pcm.slice(-1600).map(Math.abs))).toBe(0);
    }
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
