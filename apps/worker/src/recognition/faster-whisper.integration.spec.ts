import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TranscriptWord } from '@currawong/contracts';
import { decodeToPcm } from '../audio/decode';
import { bytesOf } from '../audio/pcm';
import { speechPrograms } from '../quality/speech-corpus';
import { createRecognizer } from './create-recognizer';
import { engineProgram } from './engine-program';
import { engineEnvironment } from './engine-settings';
import { EngineCrashed, type Recognizer } from './recognizer';
import { bestSpeechEngine } from './speech-engine';

const REPOSITORY = resolve(__dirname, '../../../..');
const SAMPLE = join(REPOSITORY, 'samples/two-voices.ogg');
const { ffmpegPath, pythonPath, enginesFolder } = speechPrograms();

jest.setTimeout(180_000);

/** Real code and real files; only the weights are random, so that what is said has no sense. */
describe('faster-whisper', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'whisper-'));
  const model = join(scratch, 'tiny-whisper');
  const started: Recognizer[] = [];
  let pcm: Int16Array;

  beforeAll(async () => {
    execFileSync(pythonPath, [join(REPOSITORY, 'tools/models/tiny-whisper.py'), model], {
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    });
    const pieces: Int16Array[] = [];
    for await (const piece of decodeToPcm({ ffmpegPath, inputPath: SAMPLE, maxSeconds: 600 }))
      pieces.push(piece);
    pcm = Int16Array.from(pieces.flatMap((piece) => [...piece]));
  });
  afterAll(async () => {
    await Promise.all(started.map((engine) => engine.close()));
    rmSync(scratch, { recursive: true, force: true });
  });

  const start = async (settings: Record<string, string> = {}): Promise<Recognizer> => {
    const engine = await createRecognizer(
      await engineProgram(
        'faster-whisper',
        {
          ...engineEnvironment.parse({ MODEL: 'tiny-whisper', MODEL_DIR: scratch, ...settings }),
          CURRAWONG_PYTHON: pythonPath,
          CURRAWONG_ENGINES_DIR: enginesFolder,
        },
        () => undefined,
      ),
    );
    started.push(engine);
    return engine;
  };
  /** Nonsense is improbable, and would be left out; sampled nonsense would differ between batches. */
  const OPEN = { WHISPER_TEMPERATURES: '0', WHISPER_LOG_PROB_THRESHOLD: 'off' };
  /** Speech of four seconds each, far enough apart to be decoded one by one. */
  const segments = () =>
    [0, 6.5, 13].map((at) => ({ start: at, end: Math.min(at + 4, pcm.length / 16_000) }));
  const texts = (words: readonly TranscriptWord[]) => words.map(({ text }) => text);

  it('says who it is, with which weights, and which languages it knows', async () => {
    const engine = await start();
    expect(engine).toMatchObject({ name: 'faster-whisper', detectsLanguage: true });
    expect(engine.version).toMatch(/^1\.2\.\d+ ctranslate2 4\.\d+\.\d+ \w+$/);
    expect(engine.model).toMatch(/^tiny-whisper@[0-9a-f]{12}$/);
    expect(engine.languages).toEqual(expect.arrayContaining(['en', 'de', 'zh', 'jv']));
    expect(engine.languages).toHaveLength(99);
  });

  it('gives words with times in order, inside of what it heard, and detects the language', async () => {
    const engine = await start(OPEN);
    const { words, language } = await engine.recognize(pcm, segments(), { language: 'auto' });
    expect(words.length).toBeGreaterThan(10);
    expect(engine.languages).toContain(language);
    let earliest = 0;
    for (const { text, start: from, end, confidence } of words) {
      expect(text.trim()).toBe(text);
      expect(from).toBeGreaterThanOrEqual(earliest - 1e-6);
      expect(end).toBeGreaterThanOrEqual(from);
      expect(segments().some((segment) => from >= segment.start - 1e-6 && end <= segment.end + 1e-6)).toBe(
        true,
      );
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
      earliest = from;
    }
    const asked = await engine.recognize(pcm, segments(), { language: 'de' });
    expect(asked.language).toBe('de');
    expect(texts(asked.words)).not.toEqual(texts(words));
  });

  it('follows the prompt, and forgets it', async () => {
    const engine = await start(OPEN);
    const hear = async (prompt?: string) =>
      texts((await engine.recognize(pcm, segments(), { language: 'en', prompt })).words);
    const without = await hear();
    expect(await hear('Wagga Wagga, Kirribilli')).not.toEqual(without);
    // More than the model has room for.
    expect((await hear('currawong, '.repeat(400))).length).toBeGreaterThan(0);
    expect(await hear()).toEqual(without);
  });

  it('hears in a batch what it hears one at a time', async () => {
    const [one, many] = await Promise.all([start(OPEN), start({ ...OPEN, CURRAWONG_ENGINE_BATCH: '4' })]);
    const options = { language: 'auto' };
    const alone = await one.recognize(pcm, segments(), options);
    // A second recording in another language at the same time: they share batches.
    const [together, german] = await Promise.all([
      many.recognize(pcm, segments(), options),
      many.recognize(pcm, segments(), { language: 'de', prompt: 'anders' }),
    ]);
    expect(together).toEqual(alone);
    expect(german.words.length).toBeGreaterThan(0);
  });

  it('hears what faster-whisper hears when it is called directly', async () => {
    const engine = await start({ ...OPEN, WHISPER_COMPRESSION_RATIO_THRESHOLD: 'off' });
    const files = segments().map(({ start: from, end }, index) => {
      const path = join(scratch, `${index}.pcm`);
      writeFileSync(path, bytesOf(pcm.subarray(from * 16_000, end * 16_000)));
      return path;
    });
    const { words } = await engine.recognize(pcm, segments(), { language: 'en' });
    const direct = await python(
      `
import whisper_packages, numpy
from faster_whisper import BatchedInferencePipeline, WhisperModel
model = BatchedInferencePipeline(WhisperModel(sys.argv[1], device="cpu", compute_type="int8"))
said = []
for path in sys.argv[2:]:
    samples = numpy.fromfile(path, "<i2").astype("float32") / 32768
    found, _ = model.transcribe(samples, language="en", word_timestamps=True, vad_filter=False)
    said += [word.word.strip() for part in found for word in part.words]
print(json.dumps(said))`,
      [model, ...files],
    );
    expect(texts(words)).toEqual(JSON.parse(direct));
  });

  it('hears nothing in silence, in a tone and in noise', async () => {
    const engine = await start(OPEN);
    const seconds = 8;
    const sounds = [
      () => 0,
      (i: number) => 8000 * Math.sin((2 * Math.PI * 440 * i) / 16_000),
      () => 6000 * (Math.random() * 2 - 1),
    ].map((level) => Int16Array.from({ length: seconds * 16_000 }, (_, i) => level(i)));
    for (const sound of sounds) {
      const heard = await engine.recognize(sound, [{ start: 0, end: seconds }], { language: 'auto' });
      expect(heard).toEqual({ words: [], language: null });
    }
  });

  it('leaves out what is as improbable as these words are, unless it is told otherwise', async () => {
    const engine = await start({
      WHISPER_TEMPERATURES: '0',
      WHISPER_LOG_PROB_THRESHOLD: '-0.01',
      WHISPER_NO_SPEECH_THRESHOLD: '-1',
    });
    expect((await engine.recognize(pcm, segments(), { language: 'en' })).words).toEqual([]);
  });

  it('that crashes in the middle of an utterance costs that one, not the next', async () => {
    const engine = await start(OPEN);
    const [pid] = children().filter((child) => commandOf(child).includes('faster_whisper_engine.py'));
    // Every engine of this file runs; the last is the one just started.
    const last = Math.max(
      ...children()
        .filter((child) => commandOf(child).includes('faster_whisper_engine.py'))
        .map(Number),
    );
    expect(pid).toBeDefined();
    const hear = () => engine.recognize(pcm, segments().slice(0, 1), { language: 'en' });
    const before = await hear();
    process.kill(last, 'SIGSTOP');
    const lost = hear();
    // As where native code reads memory that is not there.
    process.kill(last, 'SIGSEGV');
    process.kill(last, 'SIGCONT');
    await expect(lost).rejects.toBeInstanceOf(EngineCrashed);
    expect(await hear()).toEqual(before);
  });

  it('halves the batch where memory runs out, refuses what does not fit alone, and grows again', async () => {
    const [found] = JSON.parse(
      await python(
        `
import faster_whisper_engine as program
tried = []
class Model:
    """What is asked of a decoder: memory for three windows at a time, none for the one that is called 6."""
    room = 3
    def prompt_tokens(self, prompt): return []
    def windows(self, utterance): return [Window(utterance)]
    def hear(self, windows):
        tried.append(len(windows))
        if len(windows) > self.room or any(window.utterance.id == 6 for window in windows):
            raise RuntimeError("CUDA failed with error out of memory")
        for window in windows: window.utterance.words.append({"text": str(window.utterance.id)})
class Window:
    def __init__(self, utterance): self.utterance = utterance
engine = program.Engine(Model(), 8)
ask = lambda ids: engine.answers([({"id": id, "language": "en"}, b"") for id in ids])
first = ask(range(8))
shrunk, trials = engine.size.now, list(tried)
for _ in range(100): ask(range(10, 13))
Model.room = 99
for _ in range(200): ask(range(10, 18))
print(json.dumps([{"first": first, "shrunk": shrunk, "trials": trials, "grown": engine.size.now}]))`,
      ),
    ) as [
      {
        first: { id: number; error?: string; words?: { text: string }[] }[];
        shrunk: number;
        trials: number[];
        grown: number;
      },
    ];
    expect(found.trials.slice(0, 2)).toEqual([8, 4]);
    expect(found.shrunk).toBe(1);
    expect(found.first.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    for (const { id, words, error } of found.first) {
      if (id === 6) expect(error).toMatch(/memory does not suffice for a single window: use a smaller model/);
      else expect(words).toEqual([{ text: String(id) }]);
    }
    expect(found.grown).toBe(8);
  });

  it('is not started where its model does not fit into the memory of the GPU, or only in another form', async () => {
    const choose = (free: number | 'None') =>
      python(
        `
import os, cuda_device
path = os.path.join(sys.argv[1], "model.bin")
os.truncate(path, 1_600_000_000)
try: print(cuda_device.first_that_fits(["float16", "int8_float16"], path, ${free}))
except ValueError as error: print(error)`,
        [sparse],
      );
    const sparse = join(scratch, 'large');
    mkdirSync(sparse);
    writeFileSync(join(sparse, 'model.bin'), '');
    expect(await choose('None')).toBe('float16');
    expect(await choose(4_000_000_000)).toBe('float16');
    expect(await choose(2_000_000_000)).toBe('int8_float16');
    expect(await choose(1_000_000_000)).toMatch(
      /^The model large needs about 1\.5 GB of GPU memory and 1\.0 GB are free: stop what else/,
    );
  });

  it.each([
    [{ WHISPER_DEVICE: 'cuda' }, /WHISPER_DEVICE is cuda, but no CUDA device is visible/],
    [
      { WHISPER_DEVICE: 'cpu', WHISPER_COMPUTE_TYPE: 'float17' },
      /WHISPER_COMPUTE_TYPE is float17, which this cpu does not support: one of /,
    ],
    [{ MODEL: 'broken' }, /There is no config\.json in .*broken: a model is incomplete/],
  ])('with %j says in a sentence why it does not start', async (settings, sentence) => {
    mkdirSync(join(scratch, 'broken'), { recursive: true });
    writeFileSync(join(scratch, 'broken', 'model.bin'), 'not a model');
    await expect(start({ WHISPER_DEVICE: 'cpu', ...settings })).rejects.toThrow(sentence);
  });

  it('that was asked for and has no model is refused, not replaced', async () => {
    const nowhere = {
      MODEL: 'faster-whisper-small',
      MODEL_DIR: join(scratch, 'none'),
      MODEL_URL: 'http://127.0.0.1:6',
    };
    await expect(start(nowhere)).rejects.toThrow(/127\.0\.0\.1:6 cannot be reached \(ECONNREFUSED\)/);
  });

  describe('chosen by itself', () => {
    const best = (options: { cacheFolder: string; name: string; url?: string }, python = pythonPath) =>
      bestSpeechEngine({
        pythonPath: python,
        probeSeconds: 1,
        model: { manifestPath: join(enginesFolder, 'models.json'), ...options },
      });

    it('is taken where its model is', async () => {
      expect(await best({ cacheFolder: scratch, name: 'tiny-whisper' })).toEqual({
        engine: 'faster-whisper',
        modelFolder: model,
        reason: `Speech engine: faster-whisper with the model in ${model}`,
      });
    });

    it.each([
      ['refuses', 'http://127.0.0.1:6'],
      // Addresses of this range are for documentation: nobody answers.
      ['does not answer', 'http://192.0.2.1'],
    ])('gives way to Moonshine in little time where the server of models %s', async (_title, url) => {
      const began = performance.now();
      const { engine, reason } = await best({
        cacheFolder: join(scratch, 'none'),
        name: 'faster-whisper-small',
        url,
      });
      expect(engine).toBe('moonshine');
      expect(reason).toMatch(
        /^Speech engine: moonshine, English only; faster-whisper is not used: the model faster-whisper-small is not in .*, and \S+ did not offer it within 1 s$/,
      );
      expect(performance.now() - began).toBeLessThan(10_000);
    });

    it('and Moonshine give way to PocketSphinx where their packages are not installed', async () => {
      const bare = join(scratch, 'bare-python');
      writeFileSync(bare, `#!/bin/sh\nexec ${pythonPath} -S "$@"\n`, { mode: 0o755 });
      const { engine, reason } = await best({ cacheFolder: scratch, name: 'tiny-whisper' }, bare);
      expect(engine).toBe('pocketsphinx');
      expect(reason).toMatch(
        /its package moonshine_voice is not installed; .*its package faster_whisper is not installed$/,
      );
    });
  });
});

async function python(code: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(pythonPath, ['-c', `import json, sys\n${code}`, ...args], {
    env: { PYTHONPATH: enginesFolder, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return stdout.trim();
}

function children(): string[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
}

function commandOf(pid: string): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
