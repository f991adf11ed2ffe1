import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopDelay } from './loop-delay';
import { retryAfterSeconds } from './retry-after';
import { UploadsUnderWay } from './uploads-under-way';

const response = () => new EventEmitter() as never as EventEmitter & { once: never };

it('lets in as many uploads as there may be, and the next one when one has ended, however it ended', () => {
  const uploads = new UploadsUnderWay(2);
  const [first, second, third] = [response(), response(), response()];
  expect([uploads.enter(first), uploads.enter(second), uploads.enter(third)]).toEqual([true, true, false]);
  // One that was refused held no place.
  third.emit('close');
  expect(uploads.enter(response())).toBe(false);
  first.emit('close');
  first.emit('close');
  expect([uploads.enter(response()), uploads.enter(response())]).toEqual([true, false]);
});

it('sees a process that does not come to its turn, and that it does again', async () => {
  const loop = new LoopDelay();
  try {
    const end = Date.now() + 1_500;
    while (Date.now() < end) {
      const blocked = Date.now() + 150;
      while (Date.now() < blocked);
      await sleep(0);
    }
    expect(loop.meanMs()).toBeGreaterThan(50);
    await sleep(2_300);
    expect(loop.meanMs()).toBeLessThan(50);
  } finally {
    loop.close();
  }
});

it('asks everybody to come back at a time of their own', () => {
  const times = new Set(Array.from({ length: 500 }, () => Number(retryAfterSeconds())));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...times)).toBeLessThanOrEqual(10);
  expect(times.size).toBeGreaterThan(5);
});
