import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { speechPrograms } from '../quality/speech-corpus';
import { AudioRefused, decodeToPcm } from './decode';
import { bytesOf } from './pcm';
import { syllables } from './synthetic-sound';

// Files that are made to do harm, through the real decoder. Each must end, within its time and memory, in sound or in a
// refusal; anything else would be tried again, and so cost three times.

jest.setTimeout(120_000);

const { ffmpegPath } = speechPrograms();
const folder = mkdtempSync(join(tmpdir(), 'currawong-hostile-'));
const at = (name: string) => join(folder, name);
const ffmpeg = (...args: string[]) => execFileSync(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...args]);
const MEGABYTE = 1_000_000;
const LONGEST_SECONDS = 20;

let server: Server;
let asked = 0;
let address: string;

beforeAll(async () => {
  writeFileSync(at('sound.raw'), bytesOf(syllables(4)));
  ffmpeg('-f', 's16le', '-ar', '16000', '-ac', '1', '-i', at('sound.raw'), at('sound.wav'));
  for (const [name, args] of Object.entries(ENCODINGS)) ffmpeg('-i', at('sound.wav'), ...args, at(name));
  server = createServer((_, response) => {
    asked++;
    response.end(readFileSync(at('sound.wav')));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sound.wav`;
});
afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One of each container that is accepted. */
const ENCODINGS: Record<string, string[]> = {
  'a.wav': [],
  'a.mp3': ['-b:a', '32k'],
  'a.ogg': ['-c:a', 'libopus'],
  'vorbis.ogg': ['-c:a', 'libvorbis'],
  'a.flac': [],
  'a.m4a': ['-c:a', 'aac'],
  'fragmented.mp4': ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '500000'],
  'a.webm': ['-c:a', 'libopus'],
};

/** Seconds of sound, or the refusal. @throws what else comes, and where it takes too long */
async function outcome(name: string, maxSeconds = 60): Promise<number | AudioRefused['code']> {
  const began = performance.now();
  let samples = 0;
  try {
    const options = { ffmpegPath, inputPath: at(name), maxSeconds, waitSeconds: LONGEST_SECONDS };
    for await (const block of decodeToPcm({ ...options, memoryLimitBytes: 2 ** 30 })) samples += block.length;
    return samples / 16_000;
  } catch (error) {
    if (error instanceof AudioRefused) return error.code;
    throw error;
  } finally {
    expect(performance.now() - began).toBeLessThan((LONGEST_SECONDS + 2) * 1000);
  }
}

describe('what names other files or addresses', () => {
  const lists = (target: string): Record<string, string> => ({
    m3u: `#EXTM3U\n#EXTINF:4,\n${target}\n`,
    hls: `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`,
    concat: `ffconcat version 1.0\nfile '${target}'\n`,
    xspf: `<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track><location>${target}</location></track></trackList></playlist>`,
    dash: `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    pls: `[playlist]\nNumberOfEntries=1\nFile1=${target}\n`,
    sdp: `v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\na=control:${target}\n`,
    smil: `<smil><body><audio src="${target}"/></body></smil>`,
  });
  /** Behind what the upload's first check looks at. */
  const disguises: Record<string, Buffer> = {
    mp3: Buffer.concat([
      Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'),
      Buffer.from('\xff\xfb\x90\x00', 'latin1'),
    ]),
    wav: Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'),
    ogg: Buffer.from('OggS\0\x02', 'latin1'),
    flac: Buffer.from('fLaC', 'latin1'),
    m4a: Buffer.from('\0\0\0\x14ftypM4A \0\0\0\0M4A ', 'latin1'),
    webm: Buffer.from('\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska', 'latin1'),
  };

  it('opens none of them, by whichever list and under whichever disguise', async () => {
    const targets = [
      at('sound.wav'),
      `file:${at('sound.wav')}`,
      address,
      `concat:${at('sound.wav')}|${at('sound.wav')}`,
    ];
    const heard: string[] = [];
    const files = targets.flatMap((target) =>
      Object.entries(lists(target)).flatMap(([list, text]) =>
        Object.entries(disguises).flatMap(([type, magic]) => [
          { name: `${list} of ${target} as ${type}`, type, bytes: Buffer.concat([magic, Buffer.from(text)]) },
          // Without a disguise under one name: decoders go by the bytes.
          ...(type === 'mp3' ? [{ name: `${list} of ${target}`, type, bytes: Buffer.from(text) }] : []),
        ]),
      ),
    );
    await inTurns(files, async ({ name, type, bytes }, index) => {
      writeFileSync(at(`list-${index}.${type}`), bytes);
      const found = await outcome(`list-${index}.${type}`);
      // A few bytes of text may pass for a few milliseconds of sound; the recording that they name lasts four seconds.
      if (typeof found === 'number' && found > 0.5) heard.push(`${name}: ${found} s`);
    });
    expect(heard).toEqual([]);
    expect(asked).toBe(0);
  });

  it('follows no reference out of an MP4 to where its samples are said to lie', async () => {
    const whole = readFileSync(at('a.m4a'));
    const dref = whole.indexOf('url \0\0\0\x01', 'latin1');
    expect(dref).toBeGreaterThan(0);
    for (const target of [at('sound.wav'), `file://${at('sound.wav')}`, address]) {
      // The flag "in this file" off, and a name in its place.
      const changed = Buffer.concat([
        whole.subarray(0, dref + 7),
        Buffer.from(`\0${target}\0`),
        whole.subarray(dref + 8),
      ]);
      writeFileSync(at('dref.m4a'), changed);
      expect(['undecodable_audio', 'number']).toContain(
        typeof (await outcome('dref.m4a')) === 'number' ? 'number' : 'undecodable_audio',
      );
    }
    expect(asked).toBe(0);
  });
});

describe('what is large where nobody looks', () => {
  it('400 MB of cover art in an MP3, a FLAC and an MP4', async () => {
    sparse('cover.mp3', 250 * MEGABYTE, {
      head: id3Picture(250 * MEGABYTE - 10),
      tail: readFileSync(at('a.mp3')),
    });
    const flac = readFileSync(at('a.flac'));
    // A block holds at most 16 MB: twenty-five of them, behind the first, which every file begins with.
    const pictures = 25;
    const size = 16 * MEGABYTE;
    writeFileSync(
      at('cover.flac'),
      Buffer.concat([flac.subarray(0, 4), Buffer.from([0]), flac.subarray(5, 42)]),
    );
    const file = openSync(at('cover.flac'), 'r+');
    for (let picture = 0; picture < pictures; picture++)
      writeSync(file, flacPicture(size), 0, 40, 42 + picture * (size + 4));
    writeSync(file, Buffer.from([0x81, 0, 0, 0]), 0, 4, 42 + pictures * (size + 4));
    writeSync(file, flac, flacFrames(flac), flac.length - flacFrames(flac), 46 + pictures * (size + 4));
    closeSync(file);
    const m4a = readFileSync(at('a.m4a'));
    sparse('cover.m4a', 400 * MEGABYTE, {
      head: Buffer.concat([m4a, cover(400 * MEGABYTE)]),
      tail: Buffer.alloc(0),
    });
    for (const name of ['cover.mp3', 'cover.flac', 'cover.m4a'])
      expect([name, await outcome(name)]).toEqual([name, expect.anything()]);
    // The picture stands before the sound and is passed over.
    expect(await outcome('cover.mp3')).toBeGreaterThan(3);
    for (const name of ['cover.mp3', 'cover.flac', 'cover.m4a']) rmSync(at(name));
  });

  it('10,000 tracks in an MP4', async () => {
    const m4a = readFileSync(at('a.m4a'));
    const moov = m4a.indexOf('moov') - 4;
    const trak = m4a.indexOf('trak') - 4;
    const track = m4a.subarray(trak, trak + m4a.readUInt32BE(trak));
    const rest = m4a.subarray(moov + 8, moov + m4a.readUInt32BE(moov));
    const tracks = Buffer.alloc(track.length * 10_000, track);
    const header = Buffer.from(m4a.subarray(moov, moov + 8));
    header.writeUInt32BE(8 + rest.length + tracks.length);
    writeFileSync(at('tracks.m4a'), Buffer.concat([m4a.subarray(0, moov), header, rest, tracks]));
    expect(await outcome('tracks.m4a')).toEqual(expect.anything());
  });

  it('a few bytes that claim to be days', async () => {
    const wav = Buffer.from(readFileSync(at('a.wav')));
    wav.writeUInt32LE(0xffff_fff0, wav.indexOf('data') + 4);
    writeFileSync(at('claims.wav'), wav);
    expect(await outcome('claims.wav')).toBeLessThan(5);
    // Silence of ten minutes in a few kB: no more of it is decoded than may be.
    const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono', '-t', '600'];
    const tiny = ['-c:a', 'libopus', '-b:a', '500', '-frame_duration', '60', '-compression_level', '0'];
    ffmpeg(...silence, ...tiny, at('silence.webm'));
    expect(statSync(at('silence.webm')).size).toBeLessThan(200_000);
    expect(await outcome('silence.webm')).toBe('recording_too_long');
    const m4a = Buffer.from(readFileSync(at('a.m4a')));
    m4a.writeUInt32BE(0x7fff_ffff, m4a.indexOf('stts') + 12);
    m4a.writeUInt32BE(0x7fff_ffff, m4a.indexOf('stsz') + 12);
    writeFileSync(at('samples.m4a'), m4a);
    expect(await outcome('samples.m4a')).toEqual(expect.anything());
  });
});

describe.each(Object.keys(ENCODINGS))('%s, damaged', (name) => {
  it('and cut off anywhere gives what is there, or a refusal', async () => {
    const whole = readFileSync(at(name));
    const lengths = [
      0,
      1,
      4,
      11,
      12,
      30,
      44,
      100,
      500,
      2_000,
      ...[0.3, 0.7, 0.99].map((part) => Math.floor(part * whole.length)),
    ];
    await inTurns(lengths, async (length, index) => {
      writeFileSync(at(`cut-${index}-${name}`), whole.subarray(0, length));
      const found = await outcome(`cut-${index}-${name}`);
      expect(typeof found === 'number' ? found < 5 : found === 'undecodable_audio').toBe(true);
    });
  });

  it('and changed in places by chance, gives sound or a refusal within its time', async () => {
    const whole = readFileSync(at(name));
    const random = seeded(name);
    const changed = Array.from({ length: 25 }, () => {
      const bytes = Buffer.from(whole);
      for (let change = 0; change <= random(12); change++) {
        // Mostly where the headers are: what is behind them is only noise to a decoder.
        const position = random(2) === 0 ? random(Math.min(400, bytes.length)) : random(bytes.length);
        const how = random(4);
        if (how === 0) bytes[position] = random(256);
        else if (how === 1) bytes[position]! ^= 1 << random(8);
        else if (how === 2) bytes.fill(random(2) * 255, position, position + 1 + random(8));
        else bytes.copy(bytes, position, random(bytes.length), random(bytes.length) + 1);
      }
      return bytes;
    });
    await inTurns(changed, async (bytes, index) => {
      writeFileSync(at(`changed-${index}-${name}`), bytes);
      expect(await outcome(`changed-${index}-${name}`)).toEqual(expect.anything());
    });
  });
});

/** Several at a time: most of what a short file takes is the start of the decoder. */
async function inTurns<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = items.entries();
  const turn = async () => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all([turn(), turn(), turn(), turn()]);
}

/** Always the same numbers for the same seed, from 0 up to, not including, `below`. */
function seeded(seed: string): (below: number) => number {
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 2_463_534_242) || 1;
  return (below) => {
    state ^= (state << 13) >>> 0;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= (state << 5) >>> 0;
    state >>>= 0;
    return state % below;
  };
}

/** A file of zeros that takes no room, with something at its beginning and its end. */
function sparse(name: string, middleBytes: number, { head, tail }: { head: Buffer; tail: Buffer }): void {
  const file = openSync(at(name), 'w');
  ftruncateSync(file, middleBytes + tail.length);
  writeSync(file, head, 0, head.length, 0);
  writeSync(file, tail, 0, tail.length, middleBytes);
  closeSync(file);
}

function id3Picture(tagBytes: number): Buffer {
  const size = (bytes: number) => Buffer.from([21, 14, 7, 0].map((shift) => (bytes >>> shift) & 0x7f));
  return Buffer.concat([
    Buffer.from('ID3\x04\0\0', 'latin1'),
    size(tagBytes),
    Buffer.from('APIC'),
    size(tagBytes - 10),
    Buffer.from('\0\0\0image/png\0\x03\0\x89PNG\r\n\x1a\n', 'latin1'),
  ]);
}

/** The head of a picture block: its kind and size, a type, and that the rest of it is the picture. */
function flacPicture(bytes: number): Buffer {
  const head = Buffer.alloc(40);
  head.writeUInt32BE(bytes, 0);
  head[0] = 6;
  head.writeUInt32BE(3, 4);
  head.writeUInt32BE(0, 8);
  head.writeUInt32BE(bytes - 32, 32);
  return head;
}

/** Where the sound begins: the first sync code behind the blocks. */
function flacFrames(flac: Buffer): number {
  let position = 4;
  for (let isLast = false; !isLast;) {
    isLast = (flac[position]! & 0x80) !== 0;
    position += 4 + flac.readUIntBE(position + 1, 3);
  }
  return position;
}

/** `udta`/`meta`/`ilst`/`covr`/`data`, each of which says that it is as long as all of it. */
function cover(bytes: number): Buffer {
  const open = (type: string, room: number, body = '') => {
    const header = Buffer.alloc(8 + body.length);
    header.writeUInt32BE(room, 0);
    header.write(type + body, 4, 'latin1');
    return header;
  };
  return Buffer.concat([
    open('moov', bytes),
    open('udta', bytes - 8),
    open('meta', bytes - 16, '\0\0\0\0'),
    open('hdlr', 33, '\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0'),
    open('ilst', bytes - 61),
    open('covr', bytes - 69),
    open('data', bytes - 77, '\0\0\0\x0e\0\0\0\0'),
  ]);
}
