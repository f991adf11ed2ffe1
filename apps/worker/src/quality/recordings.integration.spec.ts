import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type AudioChunk, ownPart } from '../audio/chunk-plan';
import { decodeToPcm } from '../audio/decode';
import { joined } from '../audio/synthetic-sound';
import { detectSpeech } from '../audio/voice-activity';
import { cepstralDiarizer } from '../diarization/cepstral/cepstral-diarizer';
import type { Diarizer } from '../diarization/diarizer';
import { createRecognizer } from '../recognition/create-recognizer';
import type { Recognizer } from '../recognition/recognizer';
import { composeTranscript } from '../report/compose-transcript';
import { diarizationErrors } from './diarization-error-rate';
import { corpusFolder, openCorpus, speechPrograms } from './speech-corpus';
import { chunksOf, transcribeChunks, transcribeFile } from './transcribe-file';
import { togetherWordErrors, type WordErrors, wordErrors } from './word-error-rate';

const SAMPLES = resolve(__dirname, '../../../../samples');
const collar = { collarSeconds: 0.25 };

// The longest recordings take most of the usual 30 s where other work has the cores as well, and a test that is given up
// leaves the engine busy for the next one.
jest.setTimeout(150_000);

describe('transcription of recordings', () => {
  const { ffmpegPath, pythonPath, enginesFolder } = speechPrograms();
  let recognizer: Recognizer;
  beforeAll(async () => {
    recognizer = await createRecognizer({ engine: 'pocketsphinx', pythonPath, enginesFolder });
  });
  afterAll(() => recognizer.close());

  const transcribe = async (path: string, numSpeakers = 2) => {
    const file = await transcribeFile(path, {
      ...{ ffmpegPath, recognizer, diarizer: cepstralDiarizer },
      diarization: { numSpeakers },
    });
    return { ...file, text: file.words.map(({ text }) => text).join(' ') };
  };

  it('says who it is', () => {
    expect(recognizer).toMatchObject({ name: 'pocketsphinx', languages: ['en'], detectsLanguage: false });
    expect(recognizer.version).toMatch(/^5\./);
  });

  it('writes down the sample dialogue, turn by turn', async () => {
    const lines = readFileSync(join(SAMPLES, 'two-voices.txt'), 'utf8').trim().split('\n');
    const { words, turns, durationSeconds, text } = await transcribe(join(SAMPLES, 'two-voices.ogg'));
    expect(wordErrors(lines.join(' '), text).rate).toBeLessThanOrEqual(0.12);
    const { diarization } = composeTranscript({
      ...{ language: 'en', durationSeconds, words, turns },
      ...{ engine: recognizer, diarizer: { name: 'test', version: '1' } },
    });
    const heard = diarization.split('\n');
    expect(heard).toHaveLength(lines.length);
    heard.forEach((line, index) => {
      expect(line.startsWith(`[Speaker ${1 + (index % 2)}]: `)).toBe(true);
      expect(wordErrors(lines[index]!, line.slice(13)).rate).toBeLessThan(0.5);
    });
  });

  it('hears a rare name that the prompt announces, and forgets it for the next recording', async () => {
    const pcm = await wholePcm(join(SAMPLES, 'rare-name.ogg'), ffmpegPath);
    const hear = async (prompt?: string) => {
      const { words } = await recognizer.recognize(pcm, detectSpeech(pcm), { language: 'en', prompt });
      return words.map(({ text }) => text).join(' ');
    };
    const without = await hear();
    expect(without).not.toContain('mcglinchey');
    expect(await hear('quarterly report, Aoife McGlinchey, zxqvw')).toContain('mcglinchey');
    expect(await hear()).toBe(without);
    expect(await hear('zxqvw, the, report')).toBe(without);
  });

  describe('in every accepted container', () => {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-containers-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each(['wav', 'mp3', 'm4a', 'flac', 'webm', 'mp4'])('hears much the same in %s', async (extension) => {
      const path = join(folder, `sample.${extension}`);
      const original = join(SAMPLES, 'two-voices.ogg');
      // Ten seconds are enough to see that sound comes through whole.
      execFileSync(ffmpegPath, ['-nostdin', '-v', 'error', '-t', '10', '-i', original, path]);
      const { durationSeconds, text } = await transcribe(path);
      expect(Math.abs(durationSeconds - 10)).toBeLessThan(0.1);
      const said = readFileSync(join(SAMPLES, 'two-voices.txt'), 'utf8').split('\n').slice(0, 2).join(' ');
      expect(wordErrors(said, text).rate).toBeLessThan(0.35);
    });
  });
});

const corpus = openCorpus();
if (!corpus)
  console.warn(`Recordings with known words are not measured: there is no ${corpusFolder}/manifest.json`);
const withCorpus = corpus ? describe : describe.skip;

/** A little above what bench/SPEECH.md says, in another normalisation of texts. */
const BOUNDS = [
  { engine: 'pocketsphinx', dialogue: 0.25, all: 0.25 },
  { engine: 'moonshine', dialogue: 0.2, all: 0.1 },
] as const;

withCorpus('recordings with known words and speakers', () => {
  const { ffmpegPath, pythonPath, enginesFolder } = speechPrograms();
  const known = (corpus ?? []).filter(({ transcript }) => transcript !== null);
  /** Decoded once for all engines. */
  const chunks = new Map<string, AudioChunk[]>();
  beforeAll(async () => {
    for (const { name, path } of known) {
      const all: AudioChunk[] = [];
      for await (const chunk of chunksOf(path, ffmpegPath)) all.push(chunk);
      chunks.set(name, all);
    }
  });

  it.each(known.map((recording) => [recording.name, recording]))(
    '%s: in dialogues hardly a second is given to the wrong speaker',
    async (name, { turns: reference, speakers, seconds }) => {
      const voices: Buffer[] = [];
      for (const chunk of chunks.get(name)!) voices.push(await cepstralDiarizer.observe(ownPart(chunk)));
      expect(chunks.get(name)!.at(-1)!.ownEndSeconds).toBeCloseTo(seconds, 1);
      if (reference === null) return;
      const turns = await cepstralDiarizer.turns(voices, { numSpeakers: speakers });
      expect(diarizationErrors(reference, turns, collar).rate).toBeLessThanOrEqual(0.02);
    },
  );

  describe.each(BOUNDS)('$engine', ({ engine, dialogue, all }) => {
    let recognizer: Recognizer;
    beforeAll(async () => {
      recognizer = await createRecognizer({ engine, pythonPath, enginesFolder });
    });
    afterAll(() => recognizer?.close());
    const errors: WordErrors[] = [];

    it.each(known.map((recording) => [recording.name, recording]))(
      '%s: words inside the recording and in order; in dialogues few are wrong',
      async (name, { transcript, turns: reference, seconds }) => {
        const { words } = await transcribeChunks(chunks.get(name)!, {
          ...{ recognizer, diarizer: deafDiarizer },
          diarization: { numSpeakers: 1 },
        });
        words.forEach(({ start, end, confidence }, index) => {
          expect(end).toBeGreaterThan(start);
          expect(start).toBeGreaterThanOrEqual(words[index - 1]?.start ?? 0);
          expect(end).toBeLessThanOrEqual(seconds + 0.01);
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
        });
        errors.push(wordErrors(transcript!, words.map(({ text }) => text).join(' ')));
        if (reference !== null) expect(errors.at(-1)!.rate).toBeLessThanOrEqual(dialogue);
      },
    );

    it(`in all of them together at most ${100 * all} of 100 words are wrong`, () => {
      const together = togetherWordErrors(errors);
      expect(together.referenceWords).toBeGreaterThan(300);
      expect(together.rate).toBeLessThanOrEqual(all);
    });
  });
});

/** Where only words are asked for. */
const deafDiarizer: Diarizer = {
  ...{ name: 'none', version: '0' },
  observe: () => Promise.resolve(Buffer.alloc(0)),
  turns: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

async function wholePcm(inputPath: string, ffmpegPath: string): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  for await (const block of decodeToPcm({ ffmpegPath, inputPath, maxSeconds: 60 })) blocks.push(block);
  return joined(...blocks);
}
