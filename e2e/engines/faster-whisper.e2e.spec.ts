import { startPlatform, type TestPlatform } from '@currawong/testing';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newCustomer, type Client } from '../client';

const REPOSITORY = resolve(__dirname, '../..');
const SAMPLE = join(REPOSITORY, 'samples/two-voices.ogg');

let models: string;
let platform: TestPlatform;
let customer: Client;

/** The production engine with random weights: what is said has no sense, everything around it is real. */
beforeAll(async () => {
  models = mkdtempSync(join(tmpdir(), 'models-'));
  const program = join(REPOSITORY, 'tools/models/tiny-whisper.py');
  execFileSync(process.env['CURRAWONG_PYTHON']!, [program, join(models, 'tiny-whisper')], {
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  });
  platform = await startPlatform({
    env: {
      RECOGNIZER: 'faster-whisper',
      MODEL: 'tiny-whisper',
      MODEL_DIR: models,
      CURRAWONG_ENGINE_BATCH: '4',
      WHISPER_TEMPERATURES: '0',
      WHISPER_LOG_PROB_THRESHOLD: 'off',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 180_000);

afterAll(async () => {
  await platform?.stop();
  rmSync(models, { recursive: true, force: true });
});

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

async function heard(fields: Record<string, string>) {
  const id = await customer.submit(SAMPLE, fields);
  const job = await customer.finished(id, 120);
  expect(job).toMatchObject({ status: 'completed', error_message: null });
  const { body } = await customer.get(`/api/v1/jobs/${id}?words=true`);
  const segments = body['segments'] as { words: Word[] }[];
  return { body, words: segments.flatMap(({ words }) => words) };
}

describe('faster-whisper behind the API', () => {
  it('gives every word a time inside of the recording, in order, and a job says which weights were used', async () => {
    const { body, words } = await heard({ language: 'en' });
    expect(words.length).toBeGreaterThan(10);
    expect(words.map(({ text }) => text).join(' ')).toBe(body['transcription']);
    let earliest = 0;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(earliest);
      expect(end).toBeGreaterThanOrEqual(start);
      earliest = start;
    }
    expect(words.at(-1)!.end).toBeLessThanOrEqual((body['audio_duration_seconds'] as number) + 1);
    expect(body['engine']).toMatchObject({
      name: 'faster-whisper',
      model: expect.stringMatching(/^tiny-whisper@[0-9a-f]{12}$/),
    });
    // The same recording again gives the same words.
    expect((await heard({ language: 'en' })).words).toEqual(words);
  }, 150_000);

  it('takes the languages that the model knows, and finds out by itself which one is spoken', async () => {
    const german = await heard({ language: 'de' });
    expect(german.body['language']).toBe('de');
    const { body } = await heard({ language: 'auto' });
    const { body: list } = await customer.get('/api/v1/languages');
    const codes = (list['languages'] as { code: string }[]).map(({ code }) => code);
    expect(codes).toHaveLength(99);
    expect(codes).toContain(body['language']);
  }, 150_000);

  it('whose native code crashes in the middle of a recording costs an attempt, not the worker', async () => {
    const worker = platform.pids()['worker']!;
    const id = await customer.submit(SAMPLE, { language: 'en' });
    await killEngine(worker);
    expect(await customer.finished(id, 120)).toMatchObject({ status: 'completed' });
    expect(platform.pids()['worker']).toBe(worker);
  }, 150_000);
});

/** Ends the engine while it works: it takes processor time only then. */
async function killEngine(worker: number): Promise<void> {
  const engine = readFileSync(`/proc/${worker}/task/${worker}/children`, 'utf8')
    .trim()
    .split(' ')
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('faster_whisper_engine.py'))!;
  const ticks = () => Number(readFileSync(`/proc/${engine}/stat`, 'utf8').split(' ')[13]);
  const idle = ticks();
  while (ticks() < idle + 10) await new Promise((soon) => setTimeout(soon, 10));
  process.kill(Number(engine), 'SIGSEGV');
}
