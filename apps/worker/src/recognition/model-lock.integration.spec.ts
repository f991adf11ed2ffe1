import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alone } from './model-lock';

describe('a lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  const lock = join(folder, 'one.lock');
  afterEach(() => rmSync(lock, { recursive: true, force: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const staleFile = () => {
    writeFileSync(lock, 'an earlier version');
    utimesSync(lock, 0, 0);
  };
  const staleFolder = () => {
    mkdirSync(lock);
    writeFileSync(join(lock, 'killed'), '');
    utimesSync(join(lock, 'killed'), 0, 0);
  };

  it.each([
    ['file', staleFile],
    ['folder', staleFolder],
  ])('that is stale (a %s) is taken by one at a time of many that wait for it', async (_, leave) => {
    for (let round = 0; round < 20; round++) {
      leave();
      let now = 0;
      let most = 0;
      let done = 0;
      const ending = new AbortController();
      const waiting = Array.from({ length: 12 }, () =>
        alone(lock, { signal: ending.signal }, async () => {
          most = Math.max(most, ++now);
          await sleep(20);
          now--;
          done++;
        }).catch(() => undefined),
      );
      await sleep(60);
      // A busy machine takes longer.
      for (let waits = 0; done === 0 && waits < 500; waits++) await sleep(10);
      ending.abort();
      await Promise.all(waiting);
      expect(most).toBe(1);
      expect(done).toBeGreaterThan(0);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('that was taken over is not given up by the one that it was taken from', async () => {
    let goOn = () => {};
    const slow = alone(lock, {}, () => new Promise<void>((resolve) => (goOn = resolve)));
    await sleep(50);
    const [killed] = readdirSync(lock);
    utimesSync(join(lock, killed!), 0, 0);
    await alone(lock, {}, async () => {
      goOn();
      await slow;
      expect(readdirSync(lock)).toHaveLength(1);
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
