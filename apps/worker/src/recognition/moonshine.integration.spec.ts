import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { decodeToPcm } from '../audio/decode';
import type { SpeechSegment } from '../audio/pcm';
import { joined, mixed, noise, seededRandom, silence, tone } from '../audio/synthetic-sound';
import { detectSpeech } from '../audio/voice-activity';
import { speechPrograms } from '../quality/speech-corpus';
import { wordErrors } from '../quality/word-error-rate';
import { parseCtm, wordTimeErrors } from '../quality/word-time-error';
import { createRecognizer } from './create-recognizer';
import { pythonEnvironment } from './process-recognizer';
import { EngineCrashed, type Recognizer } from './recognizer';

const SAMPLES = resolve(__dirname, '../../../../samples');
const RATE = 16_000;

jest.setTimeout(300_000);

/** Of each sound without speech; 600 were tried by hand. */
const SECONDS = Number(process.env['CURRAWONG_SILENCE_SECONDS'] ?? 40);

describe('moonshine', () => {
  const { ffmpegPath, pythonPath, enginesFolder } = speechPrograms();
  let engine: Recognizer;
  let dialogue: Int16Array;
  beforeAll(async () => {
    engine = await createRecognizer({ engine: 'moonshine', pythonPath, enginesFolder });
    dialogue = await wholePcm(join(SAMPLES, 'two-voices.ogg'), ffmpegPath);
  });
  afterAll(() => engine?.close());

  const hear = async (pcm: Int16Array, segments = detectSpeech(pcm), prompt?: string) =>
    (await engine.recognize(pcm, segments, { language: 'en', prompt })).words;
  const text = (words: readonly { text: string }[]) => words.map((word) => word.text).join(' ');

  it('says who it is and which weights it has', () => {
    expect(engine).toMatchObject({
      name: 'moonshine',
      model: 'tiny-en',
      languages: ['en'],
      detectsLanguage: false,
    });
    expect(engine.version).toBe('0.1.0');
  });

  it('writes the sample dialogue down, with capitals and full stops', async () => {
    const said = readFileSync(join(SAMPLES, 'two-voices.txt'), 'utf8').trim();
    const words = await hear(dialogue);
    expect(wordErrors(said, text(words)).rate).toBeLessThanOrEqual(0.08);
    expect(text(words)).toMatch(/^Good morning[.,] [Dd]id you/);
  });

  it('gives each word the time at which it is said', async () => {
    const segments = detectSpeech(dialogue);
    const words = await hear(dialogue, segments);
    const { starts, ends } = wordTimeErrors(
      parseCtm(readFileSync(join(SAMPLES, 'two-voices.ctm'), 'utf8')),
      words,
    );
    expect(starts.length).toBeGreaterThan(90);
    expect(quantile(starts, 0.5)).toBeLessThan(0.03);
    expect(quantile(ends, 0.5)).toBeLessThan(0.03);
    expect(quantile(starts, 0.95)).toBeLessThan(0.15);
    words.forEach(({ start, end, confidence }, index) => {
      expect(end).toBeGreaterThan(start);
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
      expect(segments.some((segment) => start >= segment.start && end <= segment.end + 0.001)).toBe(true);
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
    });
  });

  it('is less sure of what it hears badly', async () => {
    const mean = (words: readonly { confidence: number | null }[]) =>
      words.reduce((sum, { confidence }) => sum + confidence!, 0) / words.length;
    const clear = await hear(dialogue);
    const noisy = await hear(
      mixed(dialogue, noise(dialogue.length / RATE, 0.15)),
      whole(dialogue.length / RATE),
    );
    expect(mean(clear)).toBeGreaterThan(0.9);
    expect(mean(noisy)).toBeLessThan(mean(clear) - 0.05);
  });

  it('hears speech over light noise', async () => {
    const said = readFileSync(join(SAMPLES, 'two-voices.txt'), 'utf8').trim();
    const words = await hear(mixed(dialogue, noise(dialogue.length / RATE, 0.01)));
    expect(wordErrors(said, text(words)).rate).toBeLessThanOrEqual(0.12);
  });

  it('hears a rare name that the prompt announces, and forgets it for the next recording', async () => {
    const pcm = await wholePcm(join(SAMPLES, 'rare-name.ogg'), ffmpegPath);
    const without = text(await hear(pcm));
    expect(without).not.toContain('McGlinchey');
    expect(text(await hear(pcm, undefined, 'quarterly report, Aoife McGlinchey, zxqvw'))).toContain(
      'McGlinchey',
    );
    expect(text(await hear(pcm))).toBe(without);
  });

  it('is not led astray by names that nobody says', async () => {
    const names =
      'Szymanski, Katoomba, Wollongong, amitriptyline, Oodnadatta, Abernathy, Wittgenstein, Kubernetes';
    const said = readFileSync(join(SAMPLES, 'two-voices.txt'), 'utf8').trim();
    const words = await hear(dialogue, undefined, names);
    expect(wordErrors(said, text(words)).rate).toBeLessThanOrEqual(0.08);
  });

  it.each([
    ['silence', () => silence(SECONDS)],
    ['white noise', () => noise(SECONDS, 0.2)],
    ['rumbling noise', () => brownNoise(SECONDS)],
    ['hum', () => mixed(tone(SECONDS, 50, 0.3), mixed(tone(SECONDS, 150, 0.15), tone(SECONDS, 250, 0.1)))],
    ['a dial tone', () => mixed(tone(SECONDS, 350, 0.2), tone(SECONDS, 440, 0.2))],
    ['music', () => music(SECONDS, 100, true)],
    ['slow music without drums', () => music(SECONDS, 63, false)],
  ])('writes nothing for %s', async (_, sound) => {
    expect(await hear(sound(), whole(SECONDS))).toEqual([]);
  });

  it('does not repeat itself on a piece of sound that makes no sense', async () => {
    // Speech backwards has everything of speech but words.
    const words = await hear(dialogue.toReversed(), whole(dialogue.length / RATE));
    expect(text(words).toLowerCase()).not.toMatch(/\b(\w+(?: \w+){0,3})(?: \1){5}/);
  });

  it('answers an utterance that is too short for a word with none', async () => {
    expect(await hear(new Int16Array(100), [{ start: 0, end: 100 / RATE }])).toEqual([]);
    expect(await hear(new Int16Array(0), [{ start: 0, end: 0 }])).toEqual([]);
  });

  it('is started again when it was killed, and loses one utterance', async () => {
    const before = children();
    const other = await createRecognizer({ engine: 'moonshine', pythonPath, enginesFolder });
    try {
      const [pid] = children().filter((child) => !before.includes(child));
      process.kill(Number(pid), 'SIGSTOP');
      const lost = other.recognize(dialogue, [{ start: 0, end: 2 }], { language: 'en' });
      const kept = other.recognize(dialogue, [{ start: 0, end: 2 }], { language: 'en' });
      process.kill(Number(pid), 'SIGKILL');
      await expect(lost).rejects.toBeInstanceOf(EngineCrashed);
      expect((await kept).words.length).toBeGreaterThan(2);
    } finally {
      await other.close();
    }
  });

  it('passes the checks of its own parts', () => {
    const arguments_ = ['-m', 'unittest', 'discover', '-s', join(enginesFolder, 'tests'), '-p', '*_test.py'];
    // Throws with what unittest complains of.
    execFileSync(pythonPath, arguments_, {
      env: { ...pythonEnvironment(), PYTHONPATH: enginesFolder, CURRAWONG_FFMPEG: ffmpegPath },
      stdio: 'pipe',
    });
  });
});

/** Twenty seconds at a time, as if all of it were speech. */
function whole(seconds: number): SpeechSegment[] {
  return Array.from({ length: Math.ceil(seconds / 20) }, (_, index) => ({
    start: index * 20,
    end: Math.min((index + 1) * 20, seconds),
  }));
}

function brownNoise(seconds: number): Int16Array {
  let level = 0;
  return noise(seconds, 0.5).map((sample) => (level = 0.98 * level + 0.1 * sample));
}

/** Chords, a wandering melody over them and, if wanted, a drum; another tune every bar, the same in every run. */
function music(seconds: number, beatsPerMinute: number, drums: boolean): Int16Array {
  const random = seededRandom(beatsPerMinute);
  const beat = 60 / beatsPerMinute;
  const hertz = (step: number) =>
    220 * 2 ** ((12 * Math.floor(step / 7) + [0, 2, 4, 5, 7, 9, 11][step % 7]!) / 12);
  const bars: Int16Array[] = [];
  let note = 7;
  for (let bar = 0; bar * 4 * beat < seconds; bar++) {
    const chord = Math.floor(random() * 7);
    const harmony = [0, 2, 4].map((third) => plucked(4 * beat, hertz(chord + third) / 2, 0.12, 1));
    const melody = Array.from({ length: 4 }, () => {
      note = Math.max(0, Math.min(20, note + Math.floor(random() * 5) - 2));
      return plucked(beat, hertz(note), 0.25, 4);
    });
    const layers = [...harmony, joined(...melody)];
    if (drums) layers.push(joined(...melody.map(() => fading(noise(beat, 0.3), 20))));
    bars.push(layers.reduce(mixed));
  }
  return joined(...bars).subarray(0, seconds * RATE);
}

function plucked(seconds: number, hertz: number, level: number, decay: number): Int16Array {
  const harmonics = [1, 2, 3, 4].map((n) => tone(seconds, n * hertz, level / n));
  return fading(harmonics.reduce(mixed), decay);
}

function fading(sound: Int16Array, decay: number): Int16Array {
  return sound.map((sample, index) => sample * Math.min(1, index / 160) * Math.exp((-decay * index) / RATE));
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!;
}

/** The process ids of what this process has started. */
function children(): string[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
}

async function wholePcm(inputPath: string, ffmpegPath: string): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  for await (const part of decodeToPcm({ ffmpegPath, inputPath, maxSeconds: 600 })) parts.push(part);
  return joined(...parts);
}
