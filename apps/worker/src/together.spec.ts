import { setTimeout as sleep } from 'node:timers/promises';
import { together } from './together';

describe('pieces of work that belong together', () => {
  const never = new AbortController().signal;
  const untilStopped = (signal: AbortSignal, stopped: () => void) =>
    sleep(60_000, undefined, { signal }).catch((error: unknown) => {
      stopped();
      throw error;
    });

  it('give all of their values', async () => {
    await expect(together(never, () => [Promise.resolve(1), Promise.resolve('a')])).resolves.toEqual([
      1,
      'a',
    ]);
  });

  it('end together when one fails, with its error', async () => {
    let isStopped = false;
    const failing = together(never, (signal) => [
      Promise.reject(new Error('the server is away')),
      untilStopped(signal, () => (isStopped = true)),
    ]);
    await expect(failing).rejects.toThrow('the server is away');
    expect(isStopped).toBe(true);
  });

  it('end when they are told to', async () => {
    const told = new AbortController();
    const ending = together(told.signal, (signal) => [untilStopped(signal, () => undefined)]);
    told.abort(new Error('shut down'));
    await expect(ending).rejects.toThrow();
  });
});
