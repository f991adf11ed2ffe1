import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rounds } from './rounds';

let rounds: Rounds | undefined;

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => rounds?.close());

it('everything that waits is done, one piece after another, at once when told', async () => {
  let waiting = 3;
  let atOnce = 0;
  rounds = new Rounds(async () => {
    expect(++atOnce).toBe(1);
    await sleep(1);
    atOnce--;
    return waiting-- > 0;
  });
  rounds.open();
  await rounds.close();
  // Told to close, it finished the piece that had begun and left the rest.
  expect(waiting).toBe(2);
  rounds.open();
  while (waiting >= 0) await sleep(1);
});

// Rounds by the clock come every five seconds only: the test would end first.
it('what was told while a round was ending is not left for the next', async () => {
  let told = 0;
  let done = 0;
  rounds = new Rounds(async () => {
    const seen = told;
    await sleep(1);
    done = seen;
    return false;
  });
  rounds.open();
  for (told = 1; told <= 20; told++) {
    rounds.startSoon();
    await sleep(told % 3);
  }
  told = 100;
  rounds.startSoon();
  while (done !== 100) await sleep(1);
}, 3_000);

it('a round that breaks down does not end the next', async () => {
  let times = 0;
  rounds = new Rounds(() => (++times === 1 ? Promise.reject(new Error('away')) : Promise.resolve(false)));
  rounds.open();
  rounds.startSoon();
  while (times < 2) await sleep(1);
  expect(times).toBe(2);
}, 3_000);

it('what has begun and does not end holds up the close for three seconds at most', async () => {
  rounds = new Rounds(() => new Promise(() => undefined));
  rounds.open();
  const startedAt = performance.now();
  await rounds.close();
  expect(performance.now() - startedAt).toBeGreaterThan(2_900);
  expect(performance.now() - startedAt).toBeLessThan(4_500);
  rounds = undefined;
}, 10_000);
