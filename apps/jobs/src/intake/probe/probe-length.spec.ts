import * as fc from 'fast-check';
import { probeLength } from './probe-length';

const probe = (bytes: Buffer) =>
  probeLength({ read: (start, end) => Promise.resolve(bytes.subarray(start, end)), sizeBytes: bytes.length });

function wav(options: { dataBytes: number; statedBytes?: number; form?: string }): Buffer {
  const header = Buffer.alloc(44);
  header.write(`${options.form ?? 'RIFF'}....WAVEfmt `, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt32LE(32_000, 28);
  header.write('data', 36);
  header.writeUInt32LE(options.statedBytes ?? options.dataBytes, 40);
  return Buffer.concat([header, Buffer.alloc(options.dataBytes)]);
}

it.each([
  ['that states its size', { dataBytes: 64_000 }, 2],
  ['that was written to a pipe, size 0', { dataBytes: 64_000, statedBytes: 0 }, 2],
  ['that was written to a pipe, size all ones', { dataBytes: 64_000, statedBytes: 0xffff_ffff }, 2],
  ['that was cut off', { dataBytes: 64_000, statedBytes: 640_000 }, 2],
])('a WAV %s lasts as long as its data', async (_, options, seconds) => {
  expect(await probe(wav(options))).toEqual({ ok: true, seconds, exact: true });
});

it('a refusal names the file and no more', async () => {
  const result = await probeLength({
    read: () => Promise.resolve(Buffer.alloc(5)),
    sizeBytes: 5,
    filename: 'a.mp3',
  });
  expect(result).toEqual({
    ok: false,
    refusal: {
      code: 'undecodable_audio',
      detail: 'file: the length of "a.mp3" cannot be found: it is damaged, or holds no audio.',
    },
  });
});

it('a WAV without sound is refused', async () => {
  expect(await probe(wav({ dataBytes: 0 }))).toMatchObject({ ok: false });
});

it.each(['RIFF....WAVE', 'OggS', 'fLaC', '\x1a\x45\xdf\xa3', '....ftyp', 'ID3', '\xff\xfb'])(
  'a store that fails under a file that begins with %j is a breakdown, not a refusal',
  async (magic) => {
    const failure = new Error('no store');
    for (const healthyReads of [0, 1]) {
      let reads = 0;
      const read = (start: number, end: number) => {
        if (reads++ >= healthyReads) return Promise.reject(failure);
        const bytes = Buffer.alloc(end - start, 1);
        bytes.write(magic, 'latin1');
        return Promise.resolve(bytes);
      };
      const probed = probeLength({ read, sizeBytes: 10_000_000 });
      // With one healthy read some are refused before they ask for more.
      if (healthyReads === 0) await expect(probed).rejects.toBe(failure);
      else await probed.catch((error: unknown) => expect(error).toBe(failure));
    }
  },
);

const magics = [
  '',
  'RIFF....WAVE',
  'RF64....WAVEds64',
  'OggS\0',
  'fLaC\0\0\0\x22',
  '\x1a\x45\xdf\xa3',
  '\0\0\0\x18ftypM4A ',
  'ID3\x04\0\0',
  '\xff\xfb\x90\0',
  'ID3\x04\0\0\0\0\0\0fLaC',
];

it('bytes of any kind give a length or a refusal, and never more reads than the budget', async () => {
  const files = fc.record({
    magic: fc.constantFrom(...magics),
    rest: fc.uint8Array({ maxLength: 5000 }),
    sizeBytes: fc.oneof(fc.constant(0), fc.nat(10_000), fc.nat(500_000_000)),
  });
  await fc.assert(
    fc.asyncProperty(files, async ({ magic, rest, sizeBytes }) => {
      const seed = Buffer.concat([Buffer.from(magic, 'latin1'), rest, Buffer.from([0])]);
      let readBytes = 0;
      const read = (start: number, end: number) => {
        readBytes += end - start;
        const bytes = Buffer.alloc(end - start);
        // The same pattern over and over, wherever it is read, so that parsers find their way on.
        for (let at = 0; at < bytes.length; at += seed.length)
          seed.copy(bytes, at, at === 0 ? start % seed.length : 0);
        return Promise.resolve(bytes);
      };
      const result = await probeLength({ read, sizeBytes });
      expect(readBytes).toBeLessThanOrEqual(12 * 1024 * 1024);
      if (result.ok) expect(result.seconds).toBeGreaterThan(0);
      else expect(result.refusal.code).toBe('undecodable_audio');
    }),
    { numRuns: 400 },
  );
}, 60_000);
