import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, type DynamicModule } from '@nestjs/common';
import { z } from 'zod';
import { portVariable } from '@currawong/config';
import { defineStreamMessage } from '@currawong/contracts';
import type { MessagingConnection } from './connection';
import { Consumes } from './decorators';
import type { Delivery } from './delivery';
import { MessagingModule } from './messaging.module';
import { done, type Outcome } from './outcome';
import { Publisher } from './publisher';
import { runService, type RunningService } from './run-service';
import { startTestBroker, type TestBroker } from './test-broker';
import { eventually, preloadNest } from './test-service';

const work = defineStreamMessage('CURRAWONG_WORK', 'work.run', z.object({}));
const endlessWork = defineStreamMessage('CURRAWONG_WORK', 'work.endless', z.object({}));
const events: string[] = [];

@Controller()
class Everything {
  constructor(private readonly publisher: Publisher) {}

  @Get('publish')
  async publish(): Promise<{ duplicate: boolean }> {
    return this.publisher.publish(work, {}, { messageId: 'run:1' });
  }

  @Get('publish-endless')
  async publishEndless(): Promise<{ duplicate: boolean }> {
    return this.publisher.publish(endlessWork, {}, { messageId: 'run:2' });
  }

  @Get('slow')
  async slow(): Promise<string> {
    events.push('request started');
    await sleep(400);
    events.push('request finished');
    return 'done';
  }

  @Consumes({ durable: 'run', contracts: work })
  async handle(): Promise<Outcome> {
    events.push('message started');
    await sleep(600);
    events.push('message finished');
    return done();
  }

  @Get('endless')
  async endless(): Promise<string> {
    events.push('endless request started');
    await sleep(3_000);
    return 'done';
  }

  @Consumes({ durable: 'stubborn', contracts: endlessWork })
  async handleEndlessly(_: unknown, { signal }: Delivery): Promise<Outcome> {
    events.push('endless message started');
    await once(signal, 'abort');
    return done();
  }

  onApplicationShutdown(): void {
    events.push('application closed');
  }
}

class Root {
  static with(connection: MessagingConnection): DynamicModule {
    return { module: Root, imports: [MessagingModule.forRoot(connection)], controllers: [Everything] };
  }
}

describe('a service', () => {
  let broker: TestBroker;
  let service: RunningService;
  let database = { ok: true, detail: 'no database' };
  const before = { ...process.env };
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${service.metricsPort}/health/ready`);
    return { status: response.status, body: (await response.json()) as object };
  };

  beforeAll(async () => {
    preloadNest();
    broker = await startTestBroker();
    Object.assign(process.env, { NATS_URL: broker.url, METRICS_PORT: '0', PORT: '0', LOG_LEVEL: 'silent' });
    service = await runService({
      name: 'everything',
      environment: z.object({ PORT: portVariable() }),
      module: ({ connection }) => Root.with(connection),
      http: { port: ({ PORT }) => PORT },
      ready: () => Promise.resolve(database),
    });
  });
  afterAll(async () => {
    await service.stop();
    await broker.remove();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('is ready while everything it needs is there, and says what is missing', async () => {
    expect(await health()).toEqual({ status: 200, body: { status: 'ok' } });
    database = { ok: false, detail: 'no database' };
    expect(await health()).toEqual({ status: 503, body: { detail: 'no database' } });
    database = { ok: true, detail: '' };
    await broker.kill();
    await sleep(100);
    expect(await health()).toEqual({
      status: 503,
      body: { detail: 'not connected to the message broker' },
    });
    await broker.start();
    for (let attempt = 0; attempt < 40 && (await health()).status !== 200; attempt++) await sleep(100);
    expect(await health()).toEqual({ status: 200, body: { status: 'ok' } });
  });

  it('shows the series of its handlers before they have handled anything', async () => {
    const page = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
    expect(page).toMatch(/^currawong_message_slots\{handler="run",service="everything"\} 1$/m);
    expect(page).toMatch(/^currawong_message_slots_busy\{handler="run",service="everything"\} 0$/m);
    for (const outcome of ['done', 'retry', 'reject', 'invalid', 'threw'])
      expect(page).toMatch(
        new RegExp(
          `^currawong_message_handler_seconds_count\\{.*handler="run",outcome="${outcome}"\\} 0$`,
          'm',
        ),
      );
  });

  it('that stops finishes its requests and messages first, then closes what they used', async () => {
    const base = `http://127.0.0.1:${service.httpPort}`;
    expect(await (await fetch(`${base}/publish`)).json()).toEqual({ duplicate: false });
    await eventually(() => events.includes('message started'), 'handling');
    const slow = fetch(`${base}/slow`).then((response) => response.text());
    await eventually(() => events.includes('request started'), 'requested');
    await service.stop();
    expect(await slow).toBe('done');
    expect(events.slice(-3)).toEqual(['request finished', 'message finished', 'application closed']);
    await expect(fetch(`${base}/slow`)).rejects.toThrow();
    await expect(health()).rejects.toThrow();
  });
});

describe('the end of a service', () => {
  let broker: TestBroker;
  let service: RunningService;
  const before = { ...process.env };
  const start = async (settings: Record<string, string>) => {
    preloadNest();
    broker = await startTestBroker();
    Object.assign(
      process.env,
      { NATS_URL: broker.url, METRICS_PORT: '0', PORT: '0', LOG_LEVEL: 'silent' },
      settings,
    );
    service = await runService({
      name: 'everything',
      environment: z.object({ PORT: portVariable() }),
      module: ({ connection }) => Root.with(connection),
      http: { port: ({ PORT }) => PORT },
    });
    return `http://127.0.0.1:${service.httpPort}`;
  };
  beforeEach(() => events.splice(0));
  afterEach(async () => {
    await service.stop();
    await broker.remove();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('gives requests and messages one grace together', async () => {
    const base = await start({ SHUTDOWN_GRACE_SECONDS: '8' });
    await fetch(`${base}/publish-endless`);
    await eventually(() => events.includes('endless message started'), 'handling');
    const request = fetch(`${base}/endless`).then((response) => response.text());
    await eventually(() => events.includes('endless request started'), 'requested');
    const startedAt = performance.now();
    await service.stop();
    const tookMs = performance.now() - startedAt;
    expect(await request).toBe('done');
    expect(tookMs).toBeGreaterThan(7_500);
    // Three seconds of the request and then the whole grace would be eleven.
    expect(tookMs).toBeLessThan(10_000);
  });

  it('closes connections that stay idle while the listener still takes new ones', async () => {
    const base = await start({ DRAIN_DELAY_SECONDS: '2' });
    const agent = new Agent({ keepAlive: true });
    const [answer] = (await once(get(`${base}/slow`, { agent }), 'response')) as [
      NodeJS.ReadableStream & { socket: Socket },
    ];
    const { socket } = answer;
    await once(answer.resume(), 'end');
    expect(socket.destroyed).toBe(false);
    const closed = once(socket, 'close');
    const stopping = service.stop();
    await closed;
    const other = connect(service.httpPort!, '127.0.0.1');
    await once(other, 'connect');
    other.destroy();
    agent.destroy();
    await stopping;
  });
});
