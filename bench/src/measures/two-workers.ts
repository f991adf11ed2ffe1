import { newCustomer } from '../customer';
import { figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import { platforms } from '../platforms';
import { tone } from '../recordings';
import { inTurns, median, ratiosOfPairs } from '../statistics';

const audioSeconds = 200;

export const twoWorkers: Measurement = {
  name: 'two-workers',
  title: 'one long recording with two workers and with one',
  async measure({ pairs, platform, progress }) {
    const started = await platform(platforms.twoWorkers);
    const customer = await newCustomer(started);
    const recording = tone(audioSeconds);
    const job = async () => {
      const { jobId, beganAtMs } = await customer.submit(recording);
      return ((await customer.completed(jobId, 200)).completedAtMs - beganAtMs) / 1000;
    };
    const withTwo = async () => {
      await started.resume('worker-2');
      return job();
    };
    const withOne = async () => {
      await started.halt('worker-2');
      return job();
    };
    try {
      await job();
      await started.halt('worker-2');
      const { two, one } = await inTurns(pairs, { two: withTwo, one: withOne }, (round) =>
        progress(`${round} of ${pairs} pairs`),
      );
      const { CHUNK_SECONDS, NULL_ENGINE_SLEEP_FACTOR } = platforms.twoWorkers.env;
      return [
        figure(ratiosOfPairs(one, two), {
          row: 10,
          what: 'one long recording, speed with 2 workers ÷ with 1',
          rangeOf: `${pairs} pairs`,
          aim: { atLeast: 1.9 },
          how:
            `${audioSeconds} s of audio in chunks of at most ${CHUNK_SECONDS} s, an engine that sleeps ${NULL_ENGINE_SLEEP_FACTOR} s for each ` +
            `second; from the beginning of the upload to completed_at. Medians: ${shown(median(one))} s with one, ` +
            `${shown(median(two))} s with two, of which the engine sleeps ` +
            `${shown(audioSeconds * Number(NULL_ENGINE_SLEEP_FACTOR))} s in all.`,
        }),
      ];
    } finally {
      // Whoever measures next on this platform finds both.
      await started.resume('worker-2').catch(() => undefined);
      customer.close();
    }
  },
};
