import { setTimeout as sleep } from 'node:timers/promises';
import { register } from 'prom-client';
import { timed, timedItems } from './metrics';

/** How often a step was observed so far, and for how many seconds. */
async function observed(step: string): Promise<{ count: number; seconds: number }> {
  const { values } = await register.getSingleMetric('currawong_worker_step_seconds')!.get();
  const value = (name: string) =>
    values.find((one) => 'metricName' in one && one.metricName === name && one.labels['step'] === step)
      ?.value ?? 0;
  return {
    count: value('currawong_worker_step_seconds_count'),
    seconds: value('currawong_worker_step_seconds_sum'),
  };
}

async function* slowly(items: number[], closed: () => void = () => undefined) {
  try {
    for (const item of items) {
      await sleep(20);
      yield item;
    }
  } finally {
    closed();
  }
}

it('a step is observed also where it fails', async () => {
  await expect(timed('store', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect((await observed('store')).count).toBe(1);
});

it('of items only the waiting for them is counted, not what is done with them', async () => {
  const seen: number[] = [];
  for await (const item of timedItems('decode', slowly([1, 2, 3]))) {
    seen.push(item);
    await sleep(200);
  }
  const { count, seconds } = await observed('decode');
  expect([seen, count]).toEqual([[1, 2, 3], 1]);
  expect(seconds).toBeGreaterThan(0.05);
  expect(seconds).toBeLessThan(0.5);
});

it('who stops in the middle also ends the source', async () => {
  let isClosed = false;
  for await (const item of timedItems(
    'fetch',
    slowly([1, 2, 3], () => (isClosed = true)),
  ))
    if (item === 2) break;
  expect(isClosed).toBe(true);
  expect((await observed('fetch')).count).toBe(1);
});
