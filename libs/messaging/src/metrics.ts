import { TracedHistogram } from '@currawong/telemetry';
import { Counter, Gauge } from 'prom-client';

/** Handlers of this process. `outcome`: done, retry, reject, accepted, refused, heard, invalid (broke its contract), threw. */
export const handlerSeconds = new TracedHistogram({
  name: 'currawong_message_handler_seconds',
  help: 'Time a handler took for one message',
  labelNames: ['handler', 'outcome'],
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800],
});

export const slots = new Gauge({
  name: 'currawong_message_slots',
  help: 'Messages that this process handles at a time at most',
  labelNames: ['handler'],
});

export const slotsBusy = new Gauge({
  name: 'currawong_message_slots_busy',
  help: 'Slots that a message occupies now',
  labelNames: ['handler'],
});

export const pullsRecovered = new Counter({
  name: 'currawong_message_pulls_recovered_total',
  help: 'Times a consumer had to be started anew: missed heartbeats, refused pulls, lost streams or consumers',
  labelNames: ['handler'],
});

/** `outcome`: accepted, the code of a refusal, breakdown, disconnected, no_responders, deadline. */
export const requestSeconds = new TracedHistogram({
  name: 'currawong_message_request_seconds',
  help: 'Time until another service answered',
  labelNames: ['subject', 'outcome'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
});

/** `outcome`: stored, duplicate, failed. */
export const publishSeconds = new TracedHistogram({
  name: 'currawong_message_publish_seconds',
  help: 'Time until the broker had stored a message',
  labelNames: ['subject', 'outcome'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
});

/** The series of a durable consumer exist from its start, so that alerts can divide by them and see a first failure. */
export function showConsumer(handler: string, slotCount: number): void {
  slots.set({ handler }, slotCount);
  slotsBusy.inc({ handler }, 0);
  pullsRecovered.inc({ handler }, 0);
  for (const outcome of ['done', 'retry', 'reject', 'invalid', 'threw'])
    handlerSeconds.zero({ handler, outcome });
}

/** The same for the handler of a request or a notice. */
export function showSubscription(handler: string, kind: 'answers' | 'hears'): void {
  const outcomes = kind === 'answers' ? ['accepted', 'refused'] : ['heard'];
  for (const outcome of [...outcomes, 'invalid', 'threw']) handlerSeconds.zero({ handler, outcome });
}
