import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { speechPrograms } from '../quality/speech-corpus';
import { AudioRefused, decodeToPcm, type DecodeOptions } from './decode';
import { bytesOf } from './pcm';
import { joined, noise, syllables } from './synthetic-sound';

describe('decoding', () => {
  const { ffmpegPath } = speechPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'currawong-decode-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const ffmpeg = (...args: string[]) => execFileSync(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...args]);

  beforeAll(() => {
    writeFileSync(at('sound.raw'), bytesOf(joined(syllables(5), noise(1, 0.1), syllables(4, 200))));
    ffmpeg('-f', 's16le', '-ar', '16000', '-ac', '1', '-i', at('sound.raw'), at('sound.wav'));
  });

  const decode = async (name: string, options: Partial<DecodeOptions> = {}) => {
    let samples = 0;
    for await (const block of decodeToPcm({ ffmpegPath, inputPath: at(name), maxSeconds: 60, ...options })) {
      samples += block.length;
    }
    return samples / 16_000;
  };
  const refusal = (name: string, options: Partial<DecodeOptions> = {}) =>
    decode(name, options).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof AudioRefused) return error;
        throw error;
      },
    );

  it('gives the very samples of a 16 kHz wav', async () => {
    const parts: Int16Array[] = [];
    for await (const block of decodeToPcm({ ffmpegPath, inputPath: at('sound.wav'), maxSeconds: 60 })) {
      parts.push(block);
    }
    expect(bytesOf(joined(...parts)).equals(readFileSync(at('sound.raw')))).toBe(true);
  });

  it.each([
    ['mp3', ['-c:a', 'libmp3lame']],
    ['m4a', ['-c:a', 'aac', '-ar', '44100', '-ac', '2']],
    ['ogg', ['-c:a', 'libvorbis', '-ar', '48000']],
    ['opus.ogg', ['-c:a', 'libopus']],
    ['flac', ['-c:a', 'flac']],
    ['webm', ['-c:a', 'libopus']],
    ['24bit.wav', ['-c:a', 'pcm_s24le', '-ar', '96000', '-ac', '2']],
    ['phone.wav', ['-c:a', 'pcm_alaw', '-ar', '8000']],
  ])('decodes %s to the same length', async (kind, encoding) => {
    ffmpeg('-i', at('sound.wav'), ...encoding, at(`same.${kind}`));
    expect(Math.abs((await decode(`same.${kind}`)) - 10)).toBeLessThan(0.1);
  });

  it.each([
    ['mp4', ['-c:v', 'libx264', '-c:a', 'aac']],
    ['webm', ['-c:v', 'libvpx', '-c:a', 'libopus']],
  ])('takes the sound of a %s and ignores the picture', async (kind, encoding) => {
    ffmpeg(
      '-f',
      'lavfi',
      '-i',
      'testsrc=d=10:s=64x64',
      '-i',
      at('sound.wav'),
      ...encoding,
      at(`film.${kind}`),
    );
    expect(Math.abs((await decode(`film.${kind}`)) - 10)).toBeLessThan(0.1);
  });

  it('uses what is there of a truncated file', async () => {
    for (const kind of ['mp3', 'flac', 'ogg', 'webm', 'wav']) {
      ffmpeg('-i', at('sound.wav'), at(`cut.${kind}`));
      truncateSync(at(`cut.${kind}`), Math.floor(readFileSync(at(`cut.${kind}`)).length / 2));
      const seconds = await decode(`cut.${kind}`);
      expect(seconds).toBeGreaterThan(3);
      expect(seconds).toBeLessThan(8);
    }
  });

  it('gives no samples and no refusal for a file whose sound has length zero', async () => {
    ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '0', '-c:a', 'pcm_s16le', at('empty.wav'));
    expect(await decode('empty.wav')).toBe(0);
  });

  it('refuses what is not audio, in words that name no path', async () => {
    writeFileSync(at('text.mp3'), 'This is a letter and not a recording.\n'.repeat(100));
    writeFileSync(at('random.ogg'), bytesOf(noise(5, 0.9)));
    writeFileSync(at('zero.wav'), '');
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=d=1:s=64x64', '-c:v', 'libx264', at('silent-film.mp4'));
    for (const name of ['text.mp3', 'random.ogg', 'zero.wav', 'silent-film.mp4']) {
      const error = await refusal(name);
      expect(error?.code).toBe('undecodable_audio');
      expect(error?.message).not.toContain(folder);
    }
    expect((await refusal('silent-film.mp4'))?.message).toBe('The file contains no audio track.');
  });

  it('opens no other file, whatever a playlist or script under an audio name asks for', async () => {
    // Relative, because that is what ffmpeg by itself would follow from a script.
    const target = 'sound.wav';
    const hls = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${target}\n#EXT-X-ENDLIST\n`;
    const dash = `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${target}</BaseURL></MPD>`;
    const traps = {
      hls,
      concat: `ffconcat version 1.0\nfile '${target}'\n`,
      dash,
      sdp: 'v=0\nc=IN IP4 127.0.0.1\n',
    };
    writeFileSync(at('trap.mp3'), traps.concat);
    expect(ffmpeg('-i', at('trap.mp3'), '-f', 's16le', '-').length).toBeGreaterThan(300_000);
    for (const [name, text] of Object.entries(traps)) {
      for (const extension of ['mp3', 'wav', 'm3u8', 'm4a']) {
        writeFileSync(at(`${name}.${extension}`), text);
        expect((await refusal(`${name}.${extension}`))?.code).toBe('undecodable_audio');
      }
    }
  });

  it('takes a strange file name for a name and nothing else', async () => {
    const strange = "-i concat:a|b 'x'; $(touch pwned) %d.wav";
    writeFileSync(at(strange), readFileSync(at('sound.wav')));
    expect(await decode(strange)).toBe(10);
    expect(readdirSync(folder)).not.toContain('pwned');
  });

  it('refuses more decoded audio than allowed, however small the file is', async () => {
    ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '3600', at('bomb.flac'));
    expect(statSync(at('bomb.flac')).size).toBeLessThan(500_000);
    let received = 0;
    const bomb = decodeToPcm({ ffmpegPath, inputPath: at('bomb.flac'), maxSeconds: 30 });
    const drained = (async () => {
      for await (const block of bomb) received += block.length;
    })();
    await expect(drained).rejects.toMatchObject({ code: 'recording_too_long' });
    expect(received).toBeLessThanOrEqual(30 * 16_000);
  });

  it('keeps nothing of what it has handed over, however long the recording is', async () => {
    ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '1800', at('half-an-hour.flac'));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = () => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const before = held();
    let received = 0;
    const looks: number[] = [];
    const options = { ffmpegPath, inputPath: at('half-an-hour.flac'), maxSeconds: 3_600 };
    for await (const block of decodeToPcm(options)) {
      if (Math.floor((received + block.length) / 4_000_000) > Math.floor(received / 4_000_000))
        looks.push(held() - before);
      received += block.length;
    }
    expect(received).toBe(1_800 * 16_000);
    expect(looks.length).toBeGreaterThan(5);
    // Of 58 MB.
    expect(Math.max(...looks)).toBeLessThan(30_000_000);
  });

  it('decodes only the beginning where only that is wanted, without a refusal', async () => {
    expect(await decode('sound.wav', { onlyFirstSeconds: 3, maxSeconds: 5 })).toBe(3);
    expect(await decode('sound.wav', { onlyFirstSeconds: 30 })).toBe(10);
  });

  it('stops when it is aborted, with the reason given, and before it begins as well', async () => {
    const abort = new AbortController();
    const reading = (async () => {
      const options = { ffmpegPath, inputPath: at('sound.wav'), maxSeconds: 60, signal: abort.signal };
      for await (const block of decodeToPcm(options))
        if (block.length > 0) abort.abort(new Error('cancelled'));
    })();
    await expect(reading).rejects.toThrow('cancelled');
    await expect(decode('sound.wav', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  });

  it('leaves no ffmpeg behind, whether read to the end, left early or refused', async () => {
    await decode('sound.wav');
    for await (const block of decodeToPcm({ ffmpegPath, inputPath: at('sound.wav'), maxSeconds: 60 })) {
      // The whole does not fit into the pipe, so it must still be there: the search can find what it looks for.
      expect(childrenRunning(ffmpegPath)).toHaveLength(1);
      if (block.length > 0) break;
    }
    await refusal('sound.wav', { maxSeconds: 1 });
    await new Promise((done) => setTimeout(done, 200));
    expect(childrenRunning(ffmpegPath)).toEqual([]);
  });

  it("gives a stall and a missing program or file back as breakdowns, not as the recording's fault", async () => {
    writeFileSync(at('stalls.sh'), '#!/bin/sh\nexec sleep 30\n', { mode: 0o755 });
    const broken = [
      decode('sound.wav', { ffmpegPath: at('stalls.sh'), stallSeconds: 0.3 }),
      decode('sound.wav', { ffmpegPath: '/nonexistent/ffmpeg' }),
      decode('missing.wav'),
    ];
    for (const outcome of await Promise.allSettled(broken)) {
      expect(outcome.status).toBe('rejected');
      expect((outcome as PromiseRejectedResult).reason).not.toBeInstanceOf(AudioRefused);
    }
  });

  it('refuses a recording that keeps ffmpeg busy past the time allowed', async () => {
    const header = readFileSync(at('sound.wav')).subarray(0, 44);
    const octal = [...header].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const script = `#!/bin/sh\nprintf '${octal}'\nwhile :; do printf xx; sleep 0.05; done\n`;
    writeFileSync(at('drips.sh'), script, { mode: 0o755 });
    expect(await refusal('sound.wav', { ffmpegPath: at('drips.sh'), waitSeconds: 0.4 })).toMatchObject({
      code: 'undecodable_audio',
    });
  });
});

/** Programs of that path that this process started, by Linux' own record of it. */
function childrenRunning(path: string): string[] {
  const program = realpathSync(path);
  return readdirSync('/proc').filter((pid) => {
    try {
      const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return parent === String(process.pid) && readlinkSync(`/proc/${pid}/exe`) === program;
    } catch {
      return false;
    }
  });
}
