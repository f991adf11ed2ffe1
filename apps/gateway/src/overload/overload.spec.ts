import type { DataSource } from '@currawong/database';
import { EventEmitter, once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayConfig } from '../config';
import type { Dependencies } from '../health/dependencies';
import { LoopDelay } from './loop-delay';
import { Overload } from './overload';
import { retryAfterSeconds } from './retry-after';
import { UploadsUnderWay } from './uploads-under-way';

const response = () => new EventEmitter() as never as EventEmitter & ServerResponse<IncomingMessage>;

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

it('leaves places for the others, however many one account asks for', async () => {
  const overload = new Overload(
    { MAX_UPLOADS: 4, MAX_EVENT_LOOP_DELAY_MS: 10_000 } as GatewayConfig,
    { driver: {} } as DataSource,
    { knownMissing: () => [], missing: () => Promise.resolve([]) } as unknown as Dependencies,
  );
  const sends = async (accountId: string) => {
    const sent = response();
    await overload.admit(sent);
    try {
      overload.requireShare(sent, accountId);
    } catch (error) {
      // As the end of the refusal does.
      sent.emit('close');
      throw error;
    }
    return sent;
  };
  const [first] = [await sends('greedy'), await sends('greedy'), await sends('greedy')];
  await expect(sends('greedy')).rejects.toMatchObject({
    status: 429,
    refusal: {
      code: 'rate_limited',
      detail: expect.stringMatching(/sending 3 .* Wait \d+ seconds/) as string,
    },
    headers: { 'Retry-After': expect.stringMatching(/^\d+$/) as string },
  });
  const other = await sends('another');
  await expect(sends('another')).rejects.toMatchObject({ status: 503 });
  // One that is over, in whichever way, makes room for its account.
  overload.uploadIsOver(first);
  first.emit('close');
  await sends('greedy');
  other.emit('close');
  await expect(sends('greedy')).rejects.toMatchObject({ status: 429 });
  await sends('another');
  overload.onModuleDestroy();
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

describe('with something missing a moment ago', () => {
  let look: () => Promise<string[]>;
  let overload: Overload;
  beforeEach(() => {
    overload = new Overload(
      { MAX_UPLOADS: 10, MAX_EVENT_LOOP_DELAY_MS: 10_000 } as GatewayConfig,
      { driver: {} } as DataSource,
      { knownMissing: () => ['jobs'], missing: () => look() } as unknown as Dependencies,
    );
  });
  afterEach(() => overload.onModuleDestroy());

  it('whoever asks is sent away at once where it hangs: not after the deadline of the look', async () => {
    look = () => sleep(10_000, ['jobs'], { ref: false });
    const startedAt = performance.now();
    await expect(overload.admit(response())).rejects.toMatchObject({ refusal: { code: 'unavailable' } });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('whoever leaves meanwhile occupies no place', async () => {
    let found!: (missing: string[]) => void;
    look = () => new Promise((resolve) => (found = resolve));
    for (let asked = 0; asked < 10; asked++) {
      const left = new ServerResponse(new IncomingMessage(new Socket()));
      const admitted = overload.admit(left);
      left.destroy();
      await once(left, 'close');
      found([]);
      await admitted;
    }
    look = () => Promise.resolve([]);
    await expect(overload.admit(response())).resolves.toBeUndefined();
  });

  it('whoever asks is let in where it is back', async () => {
    look = () => sleep(500, []);
    await expect(overload.admit(response())).resolves.toBeUndefined();
  });
});

it('asks everybody to come back at a time of their own', () => {
  const times = new Set(Array.from({ length: 500 }, () => Number(retryAfterSeconds())));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...times)).toBeLessThanOrEqual(10);
  expect(times.size).toBeGreaterThan(5);
});
