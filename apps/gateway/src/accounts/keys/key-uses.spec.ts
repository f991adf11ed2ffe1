import type { DataSource } from '@currawong/database';
import { Logger } from '@nestjs/common';
import { KeyUses } from './key-uses';

beforeAll(() => Logger.overrideLogger(false));

it('at the end what is known is written once, and a database that does not answer is not waited for', async () => {
  let asked = 0;
  const silent = {
    query: () => {
      asked++;
      return new Promise(() => undefined);
    },
  };
  const uses = new KeyUses(silent as unknown as DataSource);
  uses.note('a key');
  const startedAt = performance.now();
  await uses.beforeApplicationShutdown();
  expect(performance.now() - startedAt).toBeLessThan(4_500);
  expect(asked).toBe(1);
}, 10_000);
