import { cp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { accept, defineRequest, defineStreamMessage, type Result } from '@currawong/contracts';
import { connectMessaging } from './connection';
import { Answers, Consumes } from './decorators';
import type { Delivery } from './delivery';
import { ensureStreams } from './ensure-streams';
import { done, type Outcome } from './outcome';
import { startTestBroker, type TestBroker } from './test-broker';
import { eventually, startTestService, type TestService } from './test-service';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const work = defineStreamMessage('CURRAWONG_WORK', 'work.test', z.object({ n: z.number(), ms: z.number() }));
const ping = defineRequest('test.ping', z.object({}), z.object({}));
const lazy = defineRequest('test.lazy', z.object({}), z.object({}));

let started: number[] = [];
let finished: number[] = [];
let aborted: number[] = [];

@Controller()
class Worker {
  @Consumes({ durable: 'worker', contracts: work, slots: 4, ackWaitSeconds: 5 })
  async handle({ n, ms }: { n: number; ms: number }, { signal }: Delivery): Promise<Outcome> {
    started.push(n);
    try {
      if (ms > 0) await sleep(ms, undefined, { signal });
    } catch (error) {
      aborted.push(n);
      throw error;
    }
    finished.push(n);
    return done();
  }

  @Answers(ping)
  async ping(): Promise<Result<Record<string, never>>> {
    return accept({});
  }

  @Answers(lazy)
  async lazy(): Promise<Result<Record<string, never>>> {
    await sleep(1_500);
    return accept({});
  }
}

/** Takes no notice of the signal, as a native library would. */
@Controller()
class Stubborn {
  @Consumes({ durable: 'worker', contracts: work, ackWaitSeconds: 5 })
  async handle({ n }: { n: number }): Promise<Outcome> {
    started.push(n);
    await sleep(4_000);
    return done();
  }
}

describe('when', () => {
  let broker: TestBroker;
  let service: TestService;
  let id = 0;
  const publish = (n: number, ms = 0) =>
    service.publisher.publish(work, { n, ms }, { messageId: `fault-${++id}`, subjectSuffix: 'x' });

  beforeEach(async () => {
    [started, finished, aborted] = [[], [], []];
    broker = await startTestBroker();
    service = await startTestService(broker.url, [Worker], { drainGraceSeconds: 2 });
  });
  afterEach(async () => {
    await service.close();
    await broker.remove();
  });

  it('the broker is killed and comes back, messages flow again within seconds and none is lost', async () => {
    for (let n = 0; n < 20; n++) await publish(n);
    await eventually(() => finished.length === 20, 'handled before');
    await broker.kill();
    await eventually(() => service.connection.status() === 'disconnected', 'noticed');
    const askedAt = performance.now();
    await expect(publish(100)).rejects.toMatchObject({ name: 'ServiceUnavailable', why: 'disconnected' });
    await expect(service.requester.ask(ping, {})).rejects.toMatchObject({ why: 'disconnected' });
    expect(performance.now() - askedAt).toBeLessThan(100);
    expect(service.strategy.readiness()).toEqual({
      ok: false,
      detail: 'not connected to the message broker',
    });

    await broker.start();
    const backAt = performance.now();
    await eventually(() => service.strategy.readiness().ok, 'ready again');
    for (let n = 20; n < 40; n++) await publish(n);
    await eventually(() => new Set(finished).size === 40, 'handled after');
    expect(performance.now() - backAt).toBeLessThan(2_500);
  });

  it('the clock is set back since the connection was made, the broker is not waited for until that time comes round again', async () => {
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + 600_000);
    const connection = await connectMessaging({ url: broker.url, name: 'ahead' }).finally(() =>
      clock.mockRestore(),
    );
    try {
      await broker.kill();
      await eventually(() => connection.status() === 'disconnected', 'noticed');
      await broker.start();
      const backAt = performance.now();
      await eventually(() => connection.isReady(), 'connected again');
      expect(performance.now() - backAt).toBeLessThan(2_500);
    } finally {
      await connection.close();
    }
  });

  it('the broker is away, it is looked for a few times a second and not more often', async () => {
    const dialled = jest.spyOn(Socket.prototype, 'connect');
    try {
      await broker.kill();
      await eventually(() => service.connection.status() === 'disconnected', 'noticed');
      dialled.mockClear();
      await sleep(2_000);
      expect(dialled.mock.calls.length).toBeGreaterThanOrEqual(4);
      expect(dialled.mock.calls.length).toBeLessThanOrEqual(11);
    } finally {
      dialled.mockRestore();
    }
  });

  it('the broker is killed under a running handler, its message is not run by two at a time', async () => {
    await publish(1, 6_500);
    await eventually(() => started.length === 1, 'started');
    await broker.kill();
    await sleep(300);
    await broker.start();
    await eventually(() => finished.length === 1, 'finished');
    await sleep(1_500);
    expect(started).toEqual([1]);
  });

  it('a request is under way while the broker dies, it fails at once instead of at its deadline', async () => {
    const asked = service.requester.ask(lazy, {}, { deadlineMs: 20_000 });
    const failed = expect(asked).rejects.toMatchObject({ name: 'ServiceUnavailable', why: 'disconnected' });
    await sleep(100);
    const killedAt = performance.now();
    await broker.kill();
    await failed;
    expect(performance.now() - killedAt).toBeLessThan(1_000);
  });

  it('the stream is deleted, it is made again and messages flow', async () => {
    await publish(1);
    await eventually(() => finished.length === 1, 'handled before');
    await (await service.connection.jetstreamManager()).streams.delete('CURRAWONG_WORK');
    await publish(2);
    await eventually(() => finished.includes(2), 'handled after');
  });

  it('nobody has made the streams yet, publishing makes them', async () => {
    const { streams } = await service.connection.jetstreamManager();
    await service.strategy.close();
    await streams.delete('CURRAWONG_WORK');
    expect(await publish(1)).toEqual({ duplicate: false });
    expect((await streams.info('CURRAWONG_WORK')).state.messages).toBe(1);
  });

  it('the consumer is deleted, it is made again without anything being published', async () => {
    const { consumers } = await service.connection.jetstreamManager();
    await consumers.delete('CURRAWONG_WORK', 'worker');
    await publish(1);
    await eventually(() => finished.length === 1, 'handled');
  });

  it('the disk holds older messages than the consumer remembers, later messages are not skipped', async () => {
    const stream = join(broker.folder, 'jetstream/$G/streams/CURRAWONG_WORK');
    for (let n = 0; n < 5; n++) await publish(n);
    await eventually(() => finished.length === 5, 'handled before the copy');
    await broker.kill('SIGTERM');
    await cp(join(stream, 'msgs'), join(broker.folder, 'copy'), { recursive: true });
    await broker.start();
    await eventually(() => service.strategy.readiness().ok, 'ready again');
    for (let n = 5; n < 30; n++) await publish(n);
    await eventually(() => new Set(finished).size === 30, 'handled after the copy');
    await sleep(200);
    await broker.kill('SIGTERM');
    await rm(join(stream, 'msgs'), { recursive: true });
    await cp(join(broker.folder, 'copy'), join(stream, 'msgs'), { recursive: true });
    await broker.start();
    await eventually(() => service.strategy.readiness().ok, 'ready once more');
    for (let n = 30; n < 40; n++) await publish(n);
    await eventually(() => [30, 35, 39].every((n) => finished.includes(n)), 'handled after the restore');
  });

  it('a service shuts down, what is running is finished and what waits goes to another replica', async () => {
    const leaving = service;
    for (let n = 0; n < 12; n++) await publish(n, 500);
    await eventually(() => started.length === 4, 'four are running');
    await leaving.strategy.close();
    expect(finished).toHaveLength(4);
    expect(aborted).toEqual([]);
    service = await startTestService(broker.url, [Worker]);
    await eventually(() => finished.length === 12, 'the rest is handled elsewhere');
    expect(new Set(started).size).toBe(12);
    expect(started).toHaveLength(12);
    await leaving.close();
  });

  it('the grace is over, a handler is aborted and its message is handed back at once', async () => {
    await publish(1, 60_000);
    await eventually(() => started.length === 1, 'running');
    const leaving = service;
    const closedIn = performance.now();
    await leaving.close();
    expect(performance.now() - closedIn).toBeLessThan(3_500);
    expect(aborted).toEqual([1]);
    service = await startTestService(broker.url, [Worker], { drainGraceSeconds: 0 });
    // Far less than the five seconds that the broker would wait for an acknowledgement.
    await eventually(() => started.length === 2, 'taken over', 1_500);
  });

  // Stopped, the broker takes what it is sent and answers nothing; nobody notices for twenty seconds or more.
  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'a service shuts down while the broker is gone by %s, it does not wait for it',
    async (signal) => {
      broker.signal(signal);
      if (signal === 'SIGKILL')
        await eventually(() => service.connection.status() === 'disconnected', 'noticed');
      else await sleep(200);
      const startedAtMs = performance.now();
      await service.strategy.close();
      // The grace of two seconds, and as long for what is still to be sent.
      expect(performance.now() - startedAtMs).toBeLessThan(signal === 'SIGKILL' ? 1_000 : 4_500);
      await service.close();
      expect(performance.now() - startedAtMs).toBeLessThan(signal === 'SIGKILL' ? 1_500 : 10_000);
      expect(service.connection.status()).toBe('closed');
    },
    60_000,
  );

  it('a handler ignores the abort, its message is handed back over its head', async () => {
    const stubborn = await startTestService(broker.url, [Stubborn], { drainGraceSeconds: 0 });
    await service.close();
    const { publisher, connection } = await startTestService(broker.url, []);
    await publisher.publish(work, { n: 7, ms: 0 }, { messageId: 'stubborn' });
    await eventually(() => started.length === 1, 'running');
    await stubborn.close();
    service = await startTestService(broker.url, [Worker]);
    await eventually(() => finished.length === 1, 'taken over', 1_500);
    await connection.close();
  });

  it('several processes create the streams at the same time, all succeed and nothing is changed twice', async () => {
    const connections = await Promise.all(
      Array.from({ length: 6 }, () =>
        connectMessaging({ url: broker.url, name: 'test', logger: service.connection.logger }),
      ),
    );
    const { streams } = await service.connection.jetstreamManager();
    await streams.delete('CURRAWONG_EVENTS');
    await Promise.all(connections.map((connection) => ensureStreams(connection)));
    const { config } = await streams.info('CURRAWONG_EVENTS');
    expect(config).toMatchObject({
      retention: 'limits',
      discard: 'old',
      duplicate_window: 120e9,
      max_age: 86_400e9,
    });
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it('an older release has left other settings, streams and consumers are brought up to date', async () => {
    const { streams, consumers } = await service.connection.jetstreamManager();
    await streams.update('CURRAWONG_WORK', { max_msg_size: 1_000 });
    await consumers.update('CURRAWONG_WORK', 'worker', { ack_wait: 77e9 });
    const newer = await startTestService(broker.url, [Worker]);
    expect((await streams.info('CURRAWONG_WORK')).config.max_msg_size).toBe(512 * 1024);
    expect((await consumers.info('CURRAWONG_WORK', 'worker')).config.ack_wait).toBe(5e9);
    await newer.close();
  });
});

it('waiting for a broker that is not there ends when it is aborted', async () => {
  const abort = new AbortController();
  const connecting = connectMessaging({
    url: 'nats://127.0.0.1:1',
    name: 'test',
    signal: abort.signal,
    logger: { warn: () => undefined } as never,
  });
  setTimeout(() => abort.abort(new Error('enough')), 100);
  await expect(connecting).rejects.toThrow();
});
