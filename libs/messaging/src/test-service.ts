import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { loadPackageSync } from '@nestjs/common/internal';
import { NestFactory } from '@nestjs/core';
import * as microservices from '@nestjs/microservices';
import { createLogger } from '@currawong/telemetry';
import { connectMessaging, type MessagingConnection } from './connection';
import { MessagingModule } from './messaging.module';
import { NatsStrategy } from './nats-strategy';
import { Notices } from './notices';
import { Publisher } from './publisher';
import { Requester } from './requester';

export interface TestService {
  connection: MessagingConnection;
  strategy: NatsStrategy;
  requester: Requester;
  publisher: Publisher;
  notices: Notices;
  close(): Promise<void>;
}

/** One process's worth of messaging with the given controllers, on a connection of its own. */
export async function startTestService(
  url: string,
  controllers: Type[],
  { drainGraceSeconds = 5, settings }: { drainGraceSeconds?: number; settings?: unknown } = {},
): Promise<TestService> {
  preloadNest();
  const connection = await connectMessaging({ url, name: 'test', logger: createLogger('test', silence) });
  const strategy = new NatsStrategy({ connection, drainGraceSeconds, settings });
  class TestModule {}
  const app = await NestFactory.createMicroservice<microservices.MicroserviceOptions>(
    { module: TestModule, imports: [MessagingModule.forRoot(connection)], controllers },
    { strategy, logger: false, abortOnError: false },
  );
  await app.listen();
  return {
    connection,
    strategy,
    requester: app.get(Requester, { strict: false }),
    publisher: app.get(Publisher, { strict: false }),
    notices: app.get(Notices, { strict: false }),
    close: async () => {
      await app.close();
      await connection.close();
    },
  };
}

/** Nest would fetch the package by import(), which Jest does not allow in CommonJS tests. */
export function preloadNest(): void {
  loadPackageSync('@nestjs/microservices', 'tests', () => microservices);
}

/** @throws when the condition does not come true in time */
export async function eventually(condition: () => boolean, what: string, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(10);
  }
}

const silence = { write: () => undefined };
