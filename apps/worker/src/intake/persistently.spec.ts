import { ServiceUnavailable } from '@currawong/messaging';
import { persistently } from './persistently';

const never = new AbortController().signal;

it('repeats over a brief outage', async () => {
  let calls = 0;
  const result = await persistently(never, () => {
    if (++calls < 3) return Promise.reject(new ServiceUnavailable('results', 'disconnected'));
    return Promise.resolve('done');
  });
  expect([result, calls]).toEqual(['done', 3]);
});

it('does not repeat what is no outage', async () => {
  let calls = 0;
  const act = () => persistently(never, () => Promise.reject(new Error(`defect ${++calls}`)));
  await expect(act()).rejects.toThrow('defect 1');
});

it('stops with its signal', async () => {
  const stop = new AbortController();
  const away = () => Promise.reject(new ServiceUnavailable('results', 'disconnected'));
  const waiting = persistently(stop.signal, away);
  stop.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
});
