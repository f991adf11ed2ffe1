import { syllables } from '../audio/synthetic-sound';
import { createRecognizer } from './create-recognizer';
import type { Recognizer } from './recognizer';
import { describeWithWhisperServer, startWhisperServer, type WhisperServer } from './whisper-server';

// Its weights are random: what it says is nonsense, how it says it is not.
describeWithWhisperServer('whisper.cpp’s own server', () => {
  let server: WhisperServer;
  let engine: Recognizer;

  beforeAll(async () => {
    server = await startWhisperServer();
    engine = await createRecognizer({ engine: 'http', url: server.url, path: server.path, concurrency: 1 });
  }, 120_000);

  afterAll(async () => {
    await engine?.close();
    await server?.stop();
  });

  it('is known by its name, with the languages of Whisper', () => {
    expect(engine).toMatchObject({
      name: 'http',
      version: 'whisper.cpp',
      model: null,
      detectsLanguage: true,
    });
    expect(engine.languages).toHaveLength(99);
  });

  it('gives words with times and confidence, and the language that it detects', async () => {
    const pcm = syllables(8);
    const segments = [
      { start: 0, end: 4 },
      { start: 5, end: 8 },
    ];
    const { words, language } = await engine.recognize(pcm, segments, { language: 'auto', prompt: 'Katie' });
    expect(words.length).toBeGreaterThan(4);
    for (const { text, start, end, confidence } of words) {
      expect(text).toMatch(/^\S+$/);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(segments.some((segment) => start >= segment.start && end <= segment.end)).toBe(true);
      expect(confidence).toBeGreaterThanOrEqual(0);
    }
    expect(engine.languages).toContain(language);
  }, 120_000);

  it('is told the language', async () => {
    const heard = await engine.recognize(syllables(2), [{ start: 0, end: 2 }], { language: 'fr' });
    expect(heard.language).toBe('fr');
  }, 120_000);
});
