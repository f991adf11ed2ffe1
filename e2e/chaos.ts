import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestPlatform } from '@currawong/testing';

/** Numbers from 0 up to 1 that a seed determines (mulberry32). */
export type Random = () => number;

/** A run that failed is repeated with CURRAWONG_SEED set to what it printed. */
export function seededRandom(name: string): Random {
  const seed = Number(process.env['CURRAWONG_SEED'] ?? randomInt(2 ** 31));
  process.stderr.write(`${name}: CURRAWONG_SEED=${seed}\n`);
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Kills (-9) each service in turn, the turns in an order of their own each time round, until it is stopped. The next one
 * falls when the last one is ready again, so that a slow machine sees as much of each fault as a fast one; now and then
 * two fall together.
 * @returns `killed`: how often each was, so far; `stop` resolves when the last one that fell has been looked after
 */
export function killInTurn(
  platform: TestPlatform,
  services: readonly string[],
  random: Random,
  longestPauseSeconds: number,
): { readonly killed: Readonly<Record<string, number>>; stop(): Promise<void> } {
  const killed: Record<string, number> = Object.fromEntries(services.map((name) => [name, 0]));
  const stopping = new AbortController();
  const { signal } = stopping;
  let turn: string[] = [];
  const killOne = async () => {
    if (turn.length === 0) turn = [...services];
    const [name] = turn.splice(Math.floor(random() * turn.length), 1) as [string];
    if (platform.pids()[name] === undefined) return;
    platform.kill(name, 'SIGKILL');
    killed[name]! += 1;
    await Promise.race([untilReady(platform.metricsUrls[name]!), aborted(signal)]);
  };
  const killing = (async () => {
    for (;;) {
      await Promise.race([sleep(1000 * random() * longestPauseSeconds), aborted(signal)]);
      if (signal.aborted) return;
      await Promise.all(random() < 0.25 ? [killOne(), killOne()] : [killOne()]);
    }
  })();
  return {
    killed,
    stop() {
      stopping.abort();
      return killing;
    },
  };
}

/** Not longer than ten seconds: the next one may fall before this one has come back. */
async function untilReady(operationsUrl: string): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(100)) {
    const ready = await fetch(`${operationsUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
