import { probeLength } from './probe-length';

// What a file can cost that is made to cost: the probe shares its thread with everything else that the service does.

const MEGABYTE = 1024 * 1024;
const MOST_CPU_SECONDS = 2;

async function cost(bytes: Buffer): Promise<{ cpuSeconds: number; ok: boolean }> {
  const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end));
  const before = process.cpuUsage();
  const { ok } = await probeLength({ read, sizeBytes: bytes.length });
  const { user, system } = process.cpuUsage(before);
  return { cpuSeconds: (user + system) / 1e6, ok };
}

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

const repeated = (bytes: Buffer, times: number) => Buffer.alloc(bytes.length * times, bytes);
const FTYP = box('ftyp', Buffer.from('M4A \0\0\0\0M4A '));
const mvhd = box('mvhd', Buffer.alloc(100, 1));
const soundless = box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', box('hdlr', Buffer.alloc(25))));
const sound = (edits: Buffer = Buffer.alloc(0)) =>
  box(
    'trak',
    box('tkhd', Buffer.from([...Array<number>(15).fill(0), 1, ...Array<number>(68).fill(0)])),
    box('edts', edits),
    box(
      'mdia',
      box('mdhd', Buffer.from([...Array<number>(14).fill(0), 1, 0, ...Array<number>(8).fill(0)])),
      box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0soun')),
    ),
  );
const EBML = Buffer.from('1a45dfa39342828877656d426d', 'hex');

/** A cluster's letters as the content of an element of a cluster, over and over: each of them begins a walk to the end. */
const nestedClusters = repeated(Buffer.from('1f43b67501ffffffffffffffec841f43b675', 'hex'), 230_000);
const emptyElements = Buffer.concat([
  repeated(Buffer.from('1f43b675ff', 'hex'), 2_000),
  Buffer.alloc(4 * MEGABYTE - 10_000, Buffer.from('ec80', 'hex')),
]);
const ID3 = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1');

const files: [name: string, bytes: Buffer][] = [
  ['an MP4 of 10,000 tracks', Buffer.concat([FTYP, box('moov', mvhd, repeated(soundless, 10_000))])],
  ['an MP4 of a million empty boxes', Buffer.concat([FTYP, repeated(box('free'), 1_000_000)])],
  ['a film of a million empty boxes', Buffer.concat([FTYP, box('moov', repeated(box('free'), 1_000_000))])],
  [
    'an MP4 in which every second word is moof',
    Buffer.concat([FTYP, box('moov', mvhd, sound()), repeated(box('moof'), 900_000)]),
  ],
  [
    'a fragmented MP4 of headers that reach over many boxes',
    Buffer.concat([FTYP, box('moov', mvhd, sound()), overlapping()]),
  ],
  [
    'an MP4 with an endless list of edits',
    Buffer.concat([FTYP, box('moov', sound(box('elst', Buffer.alloc(8 * MEGABYTE, 0x7f))))]),
  ],
  ['boxes in boxes in boxes', Buffer.concat([FTYP, nested(20_000)])],
  [
    'a FLAC of nothing but sync bytes',
    Buffer.concat([Buffer.from('fLaC\0\0\0\x22'), Buffer.alloc(34), Buffer.alloc(4 * MEGABYTE, 0xff)]),
  ],
  [
    'a FLAC of headers that are nearly right',
    Buffer.concat([
      Buffer.from('fLaC\0\0\0\x22'),
      Buffer.alloc(34),
      repeated(Buffer.from('fff8c918', 'hex'), MEGABYTE),
    ]),
  ],
  ['an MP3 of nothing but sync bytes', Buffer.concat([ID3, Buffer.alloc(4 * MEGABYTE, 0xff)])],
  [
    'an MP3 of headers without frames',
    Buffer.concat([ID3, repeated(Buffer.from('fffb9000', 'hex'), MEGABYTE)]),
  ],
  ['an Ogg of nothing but the letters of pages', repeated(Buffer.from('OggS\0'), MEGABYTE)],
  ['a WebM of clusters in clusters', Buffer.concat([EBML, nestedClusters])],
  ['a WebM of empty elements behind many clusters', Buffer.concat([EBML, emptyElements])],
  [
    'a WebM of the letters of clusters',
    Buffer.concat([EBML, repeated(Buffer.from('1f43b675', 'hex'), MEGABYTE)]),
  ],
  [
    'a WAV of chunks of no size',
    Buffer.concat([
      Buffer.from('RIFF\xff\xff\xff\xffWAVE', 'latin1'),
      repeated(Buffer.from('LIST\0\0\0\0'), MEGABYTE),
    ]),
  ],
];

function headerOf(type: string, sizeBytes: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(sizeBytes, 0);
  header.write(type, 4, 'latin1');
  return header;
}

/** 200 fragments, each of which holds the later ones, and behind them boxes of no content for each to walk through. */
function overlapping(): Buffer {
  const headers = Array.from({ length: 200 }, () => [
    headerOf('moof', 255_000),
    // Over the header of the next fragment.
    headerOf('skip', 16),
  ]);
  return Buffer.concat([...headers.flat(), repeated(box('free'), 130_000)]);
}

/** Each holds the next. */
function nested(depth: number): Buffer {
  const headers = Array.from({ length: depth }, (_, level) => {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(8 * (depth - level), 0);
    header.write(['moov', 'trak', 'mdia', 'edts'][level % 4]!, 4);
    return header;
  });
  return Buffer.concat(headers);
}

it.each(files)('%s is judged in no time that matters', async (_, bytes) => {
  const { cpuSeconds, ok } = await cost(bytes);
  expect({ ok, cpuSeconds }).toEqual({
    ok: expect.any(Boolean) as boolean,
    cpuSeconds: expect.any(Number) as number,
  });
  expect(cpuSeconds).toBeLessThan(MOST_CPU_SECONDS);
});
