import { setTimeout as sleep } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { defineStreamMessage } from '@currawong/contracts';
import { Consumes } from './decorators';
import type { Delivery } from './delivery';
import { done, reject, retry, type Outcome } from './outcome';
import { startTestBroker, type TestBroker } from './test-broker';
import { eventually, startTestService, type TestService } from './test-service';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const plain = defineStreamMessage('CURRAWONG_WORK', 'work.plain', z.object({ n: z.number() }));
const fancy = defineStreamMessage('CURRAWONG_WORK', 'work.fancy', z.object({ text: z.string() }));
const slow = defineStreamMessage('CURRAWONG_WORK', 'work.slow', z.object({ n: z.number() }));
const wide = defineStreamMessage('CURRAWONG_WORK', 'work.wide', z.object({ n: z.number() }));
const shared = defineStreamMessage('CURRAWONG_RESULTS', 'results.shared', z.object({ n: z.number() }));

const seen: { payload: unknown; delivery: Delivery }[] = [];
let answer: (n: number, delivery: Delivery) => Outcome = () => done();

@Controller()
class Plain {
  @Consumes({ durable: 'plain', contracts: [plain, fancy], slots: 2 })
  async handle(payload: { n: number } | { text: string }, delivery: Delivery): Promise<Outcome> {
    seen.push({ payload, delivery });
    return answer('n' in payload ? payload.n : 0, delivery);
  }
}

let runningSlow = 0;
const slowRuns: number[] = [];

@Controller()
class Slow {
  // The second slot is there to catch a message that is delivered again while the first still has it.
  @Consumes({ durable: 'slow', contracts: slow, slots: 2, ackWaitSeconds: 1 })
  async handle({ n }: { n: number }): Promise<Outcome> {
    slowRuns.push(n);
    runningSlow++;
    await sleep(3_500);
    runningSlow--;
    return done();
  }
}

let runningWide = 0;
let mostWide = 0;
let doneWide = 0;

@Controller()
class Wide {
  @Consumes({ durable: 'wide', contracts: wide, slots: (settings: { slots: number }) => settings.slots })
  async handle(_payload: { n: number }): Promise<Outcome> {
    mostWide = Math.max(mostWide, ++runningWide);
    await sleep(30);
    runningWide--;
    doneWide++;
    return done();
  }
}

const byReplica: [number, number] = [0, 0];

@Controller()
class First {
  @Consumes({ durable: 'shared', contracts: shared })
  async handle(_payload: { n: number }): Promise<Outcome> {
    byReplica[0]++;
    await sleep(5);
    return done();
  }
}

@Controller()
class Second {
  @Consumes({ durable: 'shared', contracts: shared })
  async handle(_payload: { n: number }): Promise<Outcome> {
    byReplica[1]++;
    await sleep(5);
    return done();
  }
}

describe('messages of a stream', () => {
  let broker: TestBroker;
  let service: TestService;
  let id = 0;
  const messageId = () => `message-${++id}`;
  /** @throws when something is still stored after two seconds */
  const untilEmpty = async (stream: string) => {
    const { streams } = await service.connection.jetstreamManager();
    const end = Date.now() + 2_000;
    while ((await streams.info(stream)).state.messages > 0)
      if (Date.now() > end) throw new Error(`${stream} still holds messages`);
      else await sleep(20);
  };

  beforeAll(async () => {
    broker = await startTestBroker();
    service = await startTestService(broker.url, [Plain, Slow, Wide], { settings: { slots: 3 } });
  });
  afterAll(async () => {
    await service.close();
    await broker.remove();
  });
  beforeEach(() => {
    seen.length = 0;
    answer = () => done();
  });

  it('are handled once and leave the stream when the handler is done', async () => {
    await service.publisher.publish(plain, { n: 1 }, { messageId: 'first:1', subjectSuffix: 'job_1' });
    await eventually(() => seen.length === 1, 'handled');
    const { payload, delivery } = seen[0]!;
    expect(payload).toEqual({ n: 1 });
    expect(delivery).toMatchObject({ subject: 'work.plain.job_1', redeliveries: 0, messageId: 'first:1' });
    expect(Math.abs(delivery.publishedAt.getTime() - Date.now())).toBeLessThan(5_000);
    await sleep(100);
    await untilEmpty('CURRAWONG_WORK');
    expect(seen).toHaveLength(1);
  });

  it('reach the handler in the form of their own contract where a consumer takes several', async () => {
    await service.publisher.publish(fancy, { text: 'a' }, { messageId: messageId() });
    await eventually(() => seen.length === 1, 'handled');
    expect(seen[0]!.payload).toEqual({ text: 'a' });
  });

  it('come again after the wait that the handler asked for, and not before', async () => {
    const times: number[] = [];
    answer = (_n, delivery) => {
      times.push(Date.now());
      return delivery.redeliveries < 1 ? retry(400, 'not yet') : done();
    };
    await service.publisher.publish(plain, { n: 2 }, { messageId: messageId() });
    await eventually(() => times.length === 2, 'delivered again');
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(390);
    expect(seen[1]!.delivery.redeliveries).toBe(1);
  });

  it('that are rejected are gone', async () => {
    answer = () => reject('never');
    await service.publisher.publish(plain, { n: 3 }, { messageId: messageId() });
    await eventually(() => seen.length === 1, 'handled');
    await sleep(200);
    expect(seen).toHaveLength(1);
    await untilEmpty('CURRAWONG_WORK');
  });

  it('come again when the handler throws', async () => {
    answer = (_n, delivery) => {
      if (delivery.redeliveries === 0) throw new Error('broken');
      return done();
    };
    await service.publisher.publish(plain, { n: 4 }, { messageId: messageId() });
    await eventually(() => seen.length === 2, 'delivered again');
    await untilEmpty('CURRAWONG_WORK');
  });

  it('that break their contract never reach the handler and do not stay', async () => {
    await service.publisher.publishRaw({
      subject: 'work.plain',
      payload: '{"n":"no"}',
      messageId: messageId(),
    });
    await service.publisher.publishRaw({
      subject: 'work.plain',
      payload: 'not JSON',
      messageId: messageId(),
    });
    await sleep(200);
    expect(seen).toHaveLength(0);
    await untilEmpty('CURRAWONG_WORK');
  });

  it('are refused by the publisher when they break their contract', async () => {
    const wrong = { n: 'no' } as unknown as { n: number };
    await expect(service.publisher.publish(plain, wrong, { messageId: messageId() })).rejects.toThrow(
      /work\.plain: .*n: /,
    );
  });

  it('with an id that was stored lately are not stored again, and the publisher is told', async () => {
    const same = messageId();
    expect(await service.publisher.publish(plain, { n: 5 }, { messageId: same })).toEqual({
      duplicate: false,
    });
    expect(await service.publisher.publish(plain, { n: 5 }, { messageId: same })).toEqual({
      duplicate: true,
    });
    await eventually(() => seen.length === 1, 'handled');
    await sleep(100);
    expect(seen).toHaveLength(1);
  });

  it('published as a batch report an outcome each', async () => {
    const same = messageId();
    const rows = Array.from({ length: 200 }, (_, n) => ({
      subject: 'work.plain',
      payload: JSON.stringify({ n }),
      messageId: n === 150 ? same : messageId(),
    }));
    rows[3] = { ...rows[3]!, messageId: same };
    rows[10] = { ...rows[10]!, subject: 'nowhere.at.all' };
    const outcomes = await service.publisher.publishMany(rows, { window: 32 });
    expect(outcomes).toHaveLength(200);
    expect(outcomes[10]).toMatchObject({
      ok: false,
      error: { name: 'ServiceUnavailable', why: 'no_responders' },
    });
    expect(outcomes.filter((outcome) => outcome.ok && outcome.duplicate)).toHaveLength(1);
    await eventually(() => seen.length === 198, 'all handled');
  });

  it('are not delivered again while a handler takes longer than the acknowledgement wait', async () => {
    await service.publisher.publish(slow, { n: 1 }, { messageId: messageId() });
    await eventually(() => slowRuns.length === 1 && runningSlow === 0, 'handled', 8_000);
    await sleep(1_500);
    expect(slowRuns).toEqual([1]);
    await untilEmpty('CURRAWONG_WORK');
  });

  it('never occupy more than the slots', async () => {
    for (let n = 0; n < 40; n++) await service.publisher.publish(wide, { n }, { messageId: messageId() });
    await eventually(() => doneWide === 40, 'all handled');
    expect(mostWide).toBe(3);
  });

  it('wait in the broker, not in a process whose slots are taken', async () => {
    await service.publisher.publishMany(
      [1, 2, 3, 4].map((n) => ({
        subject: 'work.slow',
        payload: JSON.stringify({ n }),
        messageId: messageId(),
      })),
    );
    await sleep(300);
    const { consumers } = await service.connection.jetstreamManager();
    const { num_ack_pending, num_pending } = await consumers.info('CURRAWONG_WORK', 'slow');
    expect({ num_ack_pending, num_pending }).toEqual({ num_ack_pending: 2, num_pending: 2 });
    await (
      await service.connection.jetstreamManager()
    ).streams.purge('CURRAWONG_WORK', { filter: 'work.slow' });
    await eventually(() => runningSlow === 0, 'finished');
  });

  it('are shared among replicas, each going to one of them', async () => {
    const replicas = [
      await startTestService(broker.url, [First]),
      await startTestService(broker.url, [Second]),
    ];
    try {
      for (let n = 0; n < 60; n++) await service.publisher.publish(shared, { n }, { messageId: messageId() });
      await eventually(() => byReplica[0] + byReplica[1] >= 60, 'all handled');
      await sleep(100);
      expect(byReplica[0] + byReplica[1]).toBe(60);
      expect(Math.min(...byReplica)).toBeGreaterThan(10);
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });

  it('reach an idle handler within milliseconds', async () => {
    const delays: number[] = [];
    let publishedAt = 0;
    answer = () => {
      delays.push(performance.now() - publishedAt);
      return done();
    };
    for (let n = 0; n < 200; n++) {
      publishedAt = performance.now();
      const before = delays.length;
      await service.publisher.publish(plain, { n }, { messageId: messageId() });
      await eventually(() => delays.length > before, 'handled');
    }
    delays.sort((one, other) => one - other);
    const median = delays[100]!;
    if (process.env['CURRAWONG_PRINT_FIGURES'])
      process.stdout.write(
        `publish to handler: median ${median.toFixed(2)} ms, 95 % ${delays[190]!.toFixed(2)} ms\n`,
      );
    expect(median).toBeLessThan(20);
  });
});
