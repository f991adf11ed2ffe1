import { createRecognizer } from './create-recognizer';

const second = new Int16Array(16_000);

describe('null engine', () => {
  it('hears nothing and says at once that it is done', async () => {
    const progress: number[] = [];
    const engine = await createRecognizer({ engine: 'null' });
    const { words } = await engine.recognize(second, [], {
      language: 'en',
      onProgress: (done) => progress.push(done),
    });
    expect(words).toEqual([]);
    expect(progress).toEqual([1]);
  });

  it('takes as long as it is told to per second of audio', async () => {
    const engine = await createRecognizer({ engine: 'null', sleepFactor: 0.2 });
    const began = performance.now();
    await engine.recognize(second, [], { language: 'en' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(190);
  });

  it('stops sleeping when it is aborted, with the reason given', async () => {
    const engine = await createRecognizer({ engine: 'null', sleepFactor: 60 });
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('cancelled')), 20);
    await expect(engine.recognize(second, [], { language: 'en', signal: abort.signal })).rejects.toThrow(
      'cancelled',
    );
  });
});
