import { accept, refuse } from '@currawong/contracts';
import type { DataSource } from '@currawong/database';
import type { Requester } from '@currawong/messaging';
import type { ObjectStore } from '@currawong/object-store';
import { Logger } from '@nestjs/common';
import { Dependencies } from './dependencies';

let query: () => Promise<unknown>;
let queries: number;
let answer: () => Promise<unknown>;
let dependencies: Dependencies;

beforeAll(() => Logger.overrideLogger(false));
beforeEach(() => {
  queries = 0;
  query = () => Promise.resolve();
  answer = () => Promise.resolve(accept({}));
  dependencies = new Dependencies(
    { query: () => (queries++, query()) } as unknown as DataSource,
    { check: () => Promise.resolve() } as unknown as ObjectStore,
    { ask: () => answer() } as unknown as Requester,
  );
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

it('nothing is missing when all answer', async () => {
  expect(await dependencies.missing()).toEqual([]);
});

it('a refusal counts as missing', async () => {
  answer = () => Promise.resolve(refuse('unavailable'));
  expect(await dependencies.missing()).toEqual(['jobs', 'billing']);
});

it('many probes at once make one check', async () => {
  await Promise.all([dependencies.missing(), dependencies.missing(), dependencies.missing()]);
  expect(queries).toBe(1);
});

it('what is missing is looked for again soon, what is there is believed for a second', async () => {
  answer = () => Promise.resolve(refuse('unavailable'));
  expect(await dependencies.missing()).toEqual(['jobs', 'billing']);
  answer = () => Promise.resolve(accept({}));
  await jest.advanceTimersByTimeAsync(150);
  expect(await dependencies.missing()).toEqual([]);
  await jest.advanceTimersByTimeAsync(900);
  await dependencies.missing();
  expect(queries).toBe(2);
});

it('a database that hangs is missing after 2 s, and is not asked again before it answers', async () => {
  let settle: () => void = () => undefined;
  query = () => new Promise<void>((resolve) => (settle = resolve));
  for (let round = 0; round < 3; round++) {
    const missing = dependencies.missing();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await missing).toEqual(['accounts']);
    await jest.advanceTimersByTimeAsync(1_500);
  }
  expect(queries).toBe(1);
  settle();
  await jest.advanceTimersByTimeAsync(1_500);
  query = () => Promise.resolve();
  expect(await dependencies.missing()).toEqual([]);
  expect(queries).toBe(2);
});
