import { setTimeout as sleep } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { accept, defineNotice, defineRequest, refuse, type Result } from '@currawong/contracts';
import { Answers, Hears } from './decorators';
import { startTestBroker, type TestBroker } from './test-broker';
import { eventually, startTestService, type TestService } from './test-service';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const double = defineRequest('test.double', z.object({ n: z.number() }), z.object({ twice: z.number() }));
const nobody = defineRequest('test.nobody', z.object({}), z.object({}));
const lazy = defineRequest('test.lazy', z.object({ ms: z.number() }), z.object({}));
const revoked = defineNotice('test.revoked', z.object({ key: z.string() }));

let answeredLazily = 0;
const heard = { everyone: [] as string[], one: [] as string[] };

@Controller()
class Answering {
  @Answers(double)
  async double({ n }: { n: number }): Promise<Result<{ twice: number }>> {
    if (n === 13) throw new Error('the password of the database is wrong');
    if (n === 14) return { ok: true, value: { twice: 'much' } } as unknown as Result<{ twice: number }>;
    return n < 0
      ? refuse('invalid_parameter', 'n: not below 0')
      : accept({ twice: 2 * n, more: 1 } as { twice: number });
  }

  @Answers(lazy)
  async lazy({ ms }: { ms: number }): Promise<Result<Record<string, never>>> {
    await sleep(ms);
    answeredLazily++;
    return accept({});
  }

  @Hears(revoked)
  async everyone({ key }: { key: string }): Promise<void> {
    heard.everyone.push(key);
  }

  @Hears(revoked, { queue: 'one' })
  async one({ key }: { key: string }): Promise<void> {
    heard.one.push(key);
  }
}

describe('a request', () => {
  let broker: TestBroker;
  let caller: TestService;
  let replicas: TestService[];

  beforeAll(async () => {
    broker = await startTestBroker();
    caller = await startTestService(broker.url, []);
    replicas = [
      await startTestService(broker.url, [Answering]),
      await startTestService(broker.url, [Answering]),
    ];
  });
  afterAll(async () => {
    await Promise.all([caller, ...replicas].map((service) => service.close()));
    await broker.remove();
  });

  it('is answered with what the contract names and nothing else', async () => {
    expect(await caller.requester.ask(double, { n: 21 })).toEqual({ ok: true, value: { twice: 42 } });
  });

  it('that is refused gives the refusal as a value', async () => {
    expect(await caller.requester.ask(double, { n: -1 })).toEqual(
      refuse('invalid_parameter', 'n: not below 0'),
    );
  });

  it('whose handler throws is a breakdown that tells nothing of the reason', async () => {
    const error = await caller.requester.ask(double, { n: 13 }).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ name: 'RemoteBreakdown', subject: 'test.double' });
    expect((error as Error).message).not.toMatch(/password/);
  });

  it('whose answer breaks the contract is a breakdown', async () => {
    await expect(caller.requester.ask(double, { n: 14 })).rejects.toMatchObject({ name: 'RemoteBreakdown' });
  });

  it('that breaks its own contract is not sent', async () => {
    const wrong = { n: 'no' } as unknown as { n: number };
    await expect(caller.requester.ask(double, wrong)).rejects.toMatchObject({ name: 'InvalidMessage' });
  });

  it('that nobody listens to fails at once', async () => {
    const startedAt = performance.now();
    await expect(caller.requester.ask(nobody, {})).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      why: 'no_responders',
    });
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('that is not answered in time fails at the deadline', async () => {
    const startedAt = performance.now();
    await expect(caller.requester.ask(lazy, { ms: 1_000 }, { deadlineMs: 200 })).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      why: 'deadline',
    });
    expect(performance.now() - startedAt).toBeLessThan(600);
    await eventually(() => answeredLazily === 1, 'the handler ended');
  });

  it('takes about a millisecond', async () => {
    const durations: number[] = [];
    for (let n = 0; n < 300; n++) {
      const startedAt = performance.now();
      await caller.requester.ask(double, { n: 1 });
      durations.push(performance.now() - startedAt);
    }
    durations.sort((one, other) => one - other);
    if (process.env['CURRAWONG_PRINT_FIGURES'])
      process.stdout.write(
        `ask: median ${durations[150]!.toFixed(2)} ms, 95 % ${durations[285]!.toFixed(2)} ms\n`,
      );
    expect(durations[150]).toBeLessThan(20);
  });

  it('in progress is answered when its replica shuts down, and later ones go to another', async () => {
    const leaving = await startTestService(broker.url, [Answering]);
    const asked = Array.from({ length: 12 }, () => caller.requester.ask(lazy, { ms: 300 }));
    await sleep(50);
    await leaving.close();
    expect(await Promise.all(asked)).toEqual(asked.map(() => accept({})));
    expect(await caller.requester.ask(double, { n: 1 })).toEqual(accept({ twice: 2 }));
  });
});

describe('a notice', () => {
  it('is heard by every replica, or by one of those that share a queue', async () => {
    const broker = await startTestBroker();
    const services = [
      await startTestService(broker.url, [Answering]),
      await startTestService(broker.url, [Answering]),
    ];
    try {
      services[0]!.notices.send(revoked, { key: 'k1' });
      await eventually(() => heard.everyone.length === 2, 'heard by both');
      await sleep(100);
      expect(heard).toEqual({ everyone: ['k1', 'k1'], one: ['k1'] });
    } finally {
      await Promise.all(services.map((service) => service.close()));
      await broker.remove();
    }
  });
});
