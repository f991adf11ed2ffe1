import type { TranscriptWord } from '@currawong/contracts';
import { EngineProcess, type EngineProcessOptions, type EngineReady } from './engine-process';
import { EngineCrashed } from './recognizer';

/**
 * A small engine that speaks the protocol: it answers with the prompt it got and the number of samples,
 * unless the prompt tells it to misbehave.
 */
const ENGINE = `
  let held = Buffer.alloc(0);
  const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
  process.stdout.write('a library prints something\\n');
  say({ ready: true, name: 'test-engine', version: String(process.pid), languages: ['en'] });
  process.stdin.on('data', (data) => {
    held = Buffer.concat([held, data]);
    for (;;) {
      if (held.length < 4) return;
      const headerEnd = 4 + held.readUInt32LE(0);
      if (held.length < headerEnd) return;
      const header = JSON.parse(held.subarray(4, headerEnd));
      if (held.length < headerEnd + header.pcmBytes) return;
      const pcm = held.subarray(headerEnd, headerEnd + header.pcmBytes);
      held = held.subarray(headerEnd + header.pcmBytes);
      if (header.prompt === 'crash') { process.stderr.write('out of memory'); process.abort(); }
      if (header.prompt === 'hang') return;
      if (header.prompt === 'refuse') { say({ id: header.id, error: 'no such language' }); continue; }
      const last = pcm.length >= 2 ? pcm.readInt16LE(pcm.length - 2) : 0;
      say({ id: header.id, words: [{ text: header.prompt, start: pcm.length / 2, end: last, confidence: 1 }] });
    }
  });
`;

type TestEngine = EngineProcess<EngineReady, { words: TranscriptWord[] }>;

describe('engine process', () => {
  const engines: TestEngine[] = [];
  const start = (options: Partial<EngineProcessOptions> = {}) => {
    const engine = new EngineProcess<EngineReady, { words: TranscriptWord[] }>({
      command: process.execPath,
      arguments: ['-e', ENGINE],
      ...options,
    });
    engines.push(engine);
    return engine;
  };
  afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.close())));

  const say = (engine: TestEngine, prompt: string, signal?: AbortSignal) =>
    engine.ask(Int16Array.of(1, 2, 3), { language: 'en', prompt }, signal);

  it('says who it is once the model is loaded, whatever else is printed', async () => {
    await expect(start().start()).resolves.toMatchObject({ name: 'test-engine', languages: ['en'] });
  });

  it('hands over every sample and keeps answers in order', async () => {
    const engine = start();
    const pcm = Int16Array.from({ length: 300_000 }, (_, i) => (i % 60_000) - 30_000);
    const answers = await Promise.all(
      [0, 1, 2, 3].map((i) => engine.ask(pcm.subarray(i), { language: 'en', prompt: `p${i}` })),
    );
    answers.forEach(({ words: [word] }, i) => {
      expect(word).toEqual({ text: `p${i}`, start: 300_000 - i, end: pcm.at(-1), confidence: 1 });
    });
  });

  it('keeps one process for many utterances', async () => {
    const engine = start();
    await say(engine, 'a');
    const { pid } = engine;
    await say(engine, 'b');
    expect(engine.pid).toBe(pid);
  });

  it('loses only the utterance it crashed on, and comes back for the others', async () => {
    const engine = start();
    await say(engine, 'before');
    const { pid } = engine;
    const outcomes = await Promise.allSettled(['a', 'crash', 'b', 'c'].map((prompt) => say(engine, prompt)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    const { reason } = outcomes[1] as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(EngineCrashed);
    expect(String(reason)).toContain('out of memory');
    expect(engine.pid).not.toBe(pid);
  });

  it('tells of every start but the first', async () => {
    let restarts = 0;
    const engine = start({ onRestart: () => restarts++ });
    await say(engine, 'a');
    await say(engine, 'b');
    expect(restarts).toBe(0);
    await expect(say(engine, 'crash')).rejects.toBeInstanceOf(EngineCrashed);
    await say(engine, 'c');
    expect(restarts).toBe(1);
  });

  it('ends an engine that hangs, by the length of the audio', async () => {
    const engine = start({ patienceSeconds: 0.3, patienceFactor: 1 });
    await expect(say(engine, 'hang')).rejects.toBeInstanceOf(EngineCrashed);
    await expect(say(engine, 'again')).resolves.toMatchObject({ words: [{ text: 'again' }] });
  });

  it('passes on a refusal without a restart', async () => {
    const engine = start();
    const { pid } = (await say(engine, 'a'), engine);
    await expect(say(engine, 'refuse')).rejects.toThrow('no such language');
    await say(engine, 'b');
    expect(engine.pid).toBe(pid);
  });

  it('rejects an aborted utterance at once and goes on with the next', async () => {
    const engine = start();
    const abort = new AbortController();
    const waiting = say(engine, 'a', abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    await expect(say(engine, 'b')).resolves.toMatchObject({ words: [{ text: 'b' }] });
  });

  it('says so when the engine cannot be started or ends while it loads', async () => {
    await expect(start({ command: '/nonexistent/python' }).start()).rejects.toBeInstanceOf(EngineCrashed);
    const broken = start({ arguments: ['-e', 'console.error("no model"); process.exit(3)'] });
    await expect(broken.start()).rejects.toThrow(/status 3.*no model/s);
    await expect(say(broken, 'a')).rejects.toBeInstanceOf(EngineCrashed);
    const silent = start({ arguments: ['-e', 'setInterval(() => {}, 1000)'], startSeconds: 0.3 });
    await expect(silent.start()).rejects.toBeInstanceOf(EngineCrashed);
  });

  it('leaves no process behind after it is closed, and rejects what was under way', async () => {
    const engine = start();
    await engine.start();
    const pid = engine.pid!;
    const waiting = say(engine, 'hang');
    const rejected = expect(waiting).rejects.toBeInstanceOf(EngineCrashed);
    await engine.close();
    await rejected;
    expect(() => process.kill(pid, 0)).toThrow();
    await expect(say(engine, 'late')).rejects.toBeInstanceOf(EngineCrashed);
  });
});
