import { setTimeout as sleep } from 'node:timers/promises';
import { tone } from '../audio/synthetic-sound';
import { createRecognizer } from './create-recognizer';
import type { HttpRecognizerOptions } from './http-recognizer';
import { json, scriptedServer, spoken, type ScriptedServer } from './http-recognizer-server';
import { EngineCrashed, EngineUnavailable, type Recognizer } from './recognizer';

const KEY = 'sk-very-secret';
const pcm = tone(12, 200);
const twelve = Array.from({ length: 12 }, (_, index) => ({ start: index, end: index + 1 }));
const one = [{ start: 2, end: 4 }];
const MODELS = { object: 'list', data: [{ id: 'whisper-large-v3', object: 'model' }] };

let server: ScriptedServer;
let engine: Recognizer;

async function started(options: Partial<HttpRecognizerOptions> = {}, models: object = MODELS): Promise<void> {
  server = await scriptedServer({ models });
  engine = await createRecognizer({ engine: 'http', url: server.url, apiKey: KEY, pauseMs: 20, ...options });
}

afterEach(async () => {
  await engine?.close();
  await server?.close();
});

const hear = (segments = one, signal?: AbortSignal) =>
  engine.recognize(pcm, segments, { language: 'en', prompt: 'Katie', signal });

describe('the HTTP engine', () => {
  it('sends one utterance of WAV with what the interface wants, and gives its words where they lie', async () => {
    await started();
    const progress: number[] = [];
    const heard = await engine.recognize(pcm, one, {
      language: 'en',
      prompt: 'Katie, Steve',
      onProgress: (fraction) => progress.push(fraction),
    });
    expect(heard).toEqual({
      language: 'en',
      words: [
        { text: 'hello', start: 2, end: 2.5, confidence: null },
        { text: 'world', start: 2.5, end: 3, confidence: null },
      ],
    });
    expect(progress).toEqual([1]);
    const [{ fields, headers }] = server.seen as [(typeof server.seen)[0]];
    expect(headers['authorization']).toBe(`Bearer ${KEY}`);
    const { file, ...others } = Object.fromEntries(fields);
    expect(others).toEqual({
      model: ['whisper-large-v3'],
      language: ['en'],
      prompt: ['Katie, Steve'],
      response_format: ['verbose_json'],
      'timestamp_granularities[]': ['word', 'segment'],
      temperature: ['0'],
    });
    const wav = Buffer.from(file![0]!, 'latin1');
    expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect(wav.readUInt32LE(24)).toBe(16_000);
    expect(wav.length).toBe(44 + 2 * 2 * 16_000);
    expect(wav.readInt16LE(44 + 2000)).toBe(pcm[2 * 16_000 + 1000]);
  });

  it('says which model and languages it has, and leaves out the language that is to be detected', async () => {
    await started();
    expect(engine).toMatchObject({ name: 'http', model: 'whisper-large-v3', detectsLanguage: true });
    expect(engine.languages).toContain('de');
    server.behave((response) => json(response, 200, { ...spoken('guten', 'tag'), language: 'german' }));
    expect(await engine.recognize(pcm, one, { language: 'auto' })).toMatchObject({ language: 'de' });
    expect(server.seen[0]!.fields.has('language')).toBe(false);
  });

  it('never has more requests under way than it may, over several jobs, and keeps its connections', async () => {
    await started({ concurrency: 3 });
    server.behave(async (response) => {
      await sleep(30);
      json(response, 200, spoken('yes'));
    });
    const heard = await Promise.all([hear(twelve), hear(twelve), hear(twelve)]);
    expect(heard.map(({ words }) => words.length)).toEqual([12, 12, 12]);
    expect(server.seen).toHaveLength(36);
    expect(server.mostAtOnce).toBe(3);
    expect(server.connections).toBeLessThanOrEqual(4);
  });

  it('tries again when the server is overloaded, after as long as that asks for', async () => {
    await started();
    server.behave((response, _, index) => {
      if (index > 0) return json(response, 200, spoken('now'));
      response.setHeader('retry-after', '1');
      json(response, 429, {});
    });
    expect((await hear()).words).toHaveLength(1);
    expect(server.seen[1]!.atMs - server.seen[0]!.atMs).toBeGreaterThanOrEqual(990);
  });

  it.each([502, 503, 504])('tries again after %i', async (status) => {
    await started();
    server.behave((response, _, index) => json(response, index < 2 ? status : 200, spoken('now')));
    expect((await hear()).words).toHaveLength(1);
    expect(server.seen).toHaveLength(3);
  });

  it('tries again after half an answer and after a connection that was reset', async () => {
    await started();
    server.behave((response, _, index) => {
      if (index === 0) response.socket?.resetAndDestroy();
      else if (index === 1) {
        response.writeHead(200, { 'content-length': 1000 }).write('{"text": "hel');
        setTimeout(() => response.destroy(), 20);
      } else json(response, 200, spoken('now'));
    });
    expect((await hear()).words).toHaveLength(1);
    expect(server.seen).toHaveLength(3);
  });

  it('counts a recording on which the server dies each time as a lost attempt', async () => {
    await started();
    server.behave((response) => void response.socket?.resetAndDestroy());
    await expect(hear()).rejects.toThrow(EngineCrashed);
    expect(server.seen).toHaveLength(4);
  });

  it('counts a server that is down or stays overloaded as an outage', async () => {
    await started();
    server.behave((response) => json(response, 429, {}));
    await expect(hear()).rejects.toThrow(EngineUnavailable);
    await server.close();
    await expect(hear()).rejects.toThrow(/cannot be reached.*ECONNREFUSED/);
    await expect(hear()).rejects.toThrow(EngineUnavailable);
  });

  it.each([400, 413, 422, 500])(
    'does not try again after %i, and gives its words without the key',
    async (status) => {
      await started();
      server.behave((response) => json(response, status, { detail: `no, ${KEY}` }));
      const failure: unknown = await hear().catch((error: unknown) => error);
      expect(failure).not.toBeInstanceOf(EngineUnavailable);
      expect(String(failure)).toContain(`answered ${status}: {"detail":"no, ***"}`);
      expect(server.seen).toHaveLength(1);
    },
  );

  it.each([
    [401, {}, /Check ENGINE_API_KEY/],
    [404, {}, /Check ENGINE_URL, ENGINE_PATH and ENGINE_MODEL/],
    [200, { text: 'only text' }, /without words and their times/],
    [200, { segments: [] }, /not a transcription in verbose_json \(text/],
    [200, { ...spoken('x'), words: [{ word: 'x' }] }, /without words and their times/],
    [200, { ...spoken('x'), words: [{ word: 'x', start: '0' }] }, /words\.0\.start/],
  ])('answered %i %j, says what to set and lets the work wait', async (status, body, message) => {
    await started();
    server.behave((response) => json(response, status, body));
    const failure: unknown = await hear().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineUnavailable);
    expect(String(failure)).toMatch(message);
    expect(server.seen).toHaveLength(1);
  });

  it('counts text without words as a lost attempt of the recording, once it has given words', async () => {
    await started();
    await hear();
    server.behave((response) => json(response, 200, { text: 'only text' }));
    // More than the failures in a row after which a server is left alone.
    for (let index = 0; index < 7; index++) {
      const failure: unknown = await hear().catch((error: unknown) => error);
      expect(failure).not.toBeInstanceOf(EngineUnavailable);
      expect(String(failure)).toMatch(/without words and their times.*It gave words with times before/);
    }
    server.behave((response) => json(response, 200, spoken('now')));
    expect((await hear()).words).toHaveLength(1);
  });

  it('refuses what is not JSON', async () => {
    await started();
    server.behave((response) => void response.writeHead(200).end('<html>'));
    await expect(hear()).rejects.toThrow(/not a transcription in verbose_json/);
  });

  it('leaves a server alone that keeps failing, tries it with one request later, and then goes on', async () => {
    await started({ openSeconds: 4, concurrency: 8 });
    let broken = true;
    server.behave(async (response) => {
      await sleep(20);
      json(response, broken ? 503 : 200, spoken('now'));
    });
    await expect(hear(twelve)).rejects.toThrow(EngineUnavailable);
    await sleep(50);
    const before = server.seen.length;
    await expect(hear(twelve)).rejects.toThrow(/left alone for a while; the work waits/);
    expect(server.seen).toHaveLength(before);
    await sleep(4_000);
    await expect(hear(twelve)).rejects.toThrow(EngineUnavailable);
    expect(server.seen).toHaveLength(before + 1);
    await sleep(4_100);
    broken = false;
    expect((await hear(twelve)).words).toHaveLength(12);
    expect(server.seen).toHaveLength(before + 13);
  });

  it('does not wait longer than audio of that length may take', async () => {
    await started({ patienceSeconds: 0.1, patienceFactor: 0.1 });
    server.behave(() => undefined);
    const began = performance.now();
    await expect(hear()).rejects.toThrow(/took too long for 2\.0 s of speech/);
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('lets go of its requests when it is aborted, those that wait for a slot included', async () => {
    await started({ concurrency: 1 });
    server.behave(() => undefined);
    const other = hear(one);
    other.catch(() => undefined);
    await sleep(50);
    const abort = new AbortController();
    const waiting = hear(twelve, abort.signal);
    setTimeout(() => abort.abort(new Error('shutdown')), 50);
    const began = performance.now();
    await expect(waiting).rejects.toThrow('shutdown');
    expect(performance.now() - began).toBeLessThan(500);
    await engine.close();
    await expect(other).rejects.toThrow(/closed/);
    await sleep(50);
    expect(server.left).toBe(1);
    expect(server.seen).toHaveLength(1);
  });
});

describe('finding out what the server is', () => {
  it('wants to be told which of several models', async () => {
    const several = { data: [{ id: 'a-whisper' }, { id: 'b-whisper' }, { id: 'c', task: 'text-to-speech' }] };
    await expect(started({}, several)).rejects.toThrow('Set ENGINE_MODEL to one of: a-whisper, b-whisper.');
  });

  it('wants to be told the languages where nothing tells them', async () => {
    await expect(started({}, { data: [{ id: 'parakeet' }] })).rejects.toThrow(/Set ENGINE_LANGUAGES/);
    await server.close();
    await started({ languages: ['en', 'auto'] }, { data: [{ id: 'parakeet' }] });
    expect(engine).toMatchObject({ languages: ['en'], detectsLanguage: true });
  });

  it('takes the languages that the server lists', async () => {
    await started({}, { data: [{ id: 'parakeet', languages: ['en-US', 'de-DE'] }] });
    expect(engine).toMatchObject({ languages: ['en', 'de'], detectsLanguage: false, model: 'parakeet' });
  });

  it('waits for a server that is not up yet, and says so when it never is', async () => {
    await expect(
      createRecognizer({ engine: 'http', url: 'http://127.0.0.1:1', startSeconds: 1.5 }),
    ).rejects.toThrow(/speech server cannot be reached/);
  });
});
