import { setTimeout as sleep } from 'node:timers/promises';
import { startBareUploads } from '../bare-upload';
import { newCustomer } from '../customer';
import { type Figure, figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import { platforms } from '../platforms';
import { cpuSeconds } from '../process-usage';
import { tone } from '../recordings';
import { inTurns, median, quantile } from '../statistics';

const warmUps = 10;
const jobsPerPair = 12;
const audioSeconds = 3;

export const latency: Measurement = {
  name: 'latency',
  title: 'what one job takes beside its bytes',
  async measure({ pairs, platform, progress }) {
    const started = await platform(platforms.nullEngine);
    const customer = await newCustomer(started);
    const bare = await startBareUploads(started.s3);
    const recording = tone(audioSeconds);
    const oneJob = async () => {
      const receipt = await customer.submit(recording);
      // It is done by then: an earlier question would compete with the job for the CPU.
      await sleep(100);
      const { completedAtMs } = await customer.completed(receipt.jobId, 100);
      return { receipt: receipt.seconds * 1000, completed: completedAtMs - receipt.beganAtMs };
    };
    const bytesAlone = async () => (await bare.send(recording)).seconds * 1000;
    try {
      for (let n = 0; n < warmUps; n++) await Promise.all([oneJob(), bytesAlone()]);
      const jobs = pairs * jobsPerPair;
      const cpuBefore = cpuSeconds(Object.values(started.pids()));
      const measured = await inTurns(jobs, { job: oneJob, bare: bytesAlone }, (done) => {
        if (done % jobsPerPair === 0) progress(`${done} of ${jobs} jobs`);
      });
      const cpu = (cpuSeconds(Object.values(started.pids())) - cpuBefore) / jobs;
      const receipts = measured.job.map(({ receipt }) => receipt);
      const completions = measured.job.map(({ completed }) => completed);
      const at = (share: number, what: string, values: readonly number[], how: string): Figure =>
        figure(values, {
          ...{ what: `${what}, p${share * 100}`, unit: 'ms', rangeOf: `${jobs} jobs`, how },
          value: quantile(values, share),
        });
      return [
        figure(
          receipts.map((receipt) => receipt - median(measured.bare)),
          {
            row: 11,
            what: 'receipt of POST /transcribe, p50, beyond the time of the bytes alone',
            unit: 'ms',
            rangeOf: `${jobs} jobs`,
            aim: { atMost: 25 },
            how:
              `A recording of ${audioSeconds} s (${recording.sizeBytes} bytes), one at a time, in turns with a bare upload of the same ` +
              `bytes (node:http into a presigned PUT), whose median of ${shown(median(measured.bare))} ms (p95 ` +
              `${shown(quantile(measured.bare, 0.95))} ms) is subtracted.`,
          },
        ),
        at(0.5, 'receipt of POST /transcribe', receipts, 'The same jobs, nothing subtracted.'),
        at(0.95, 'receipt of POST /transcribe', receipts, 'The same jobs.'),
        at(
          0.5,
          'upload to completed with the null engine',
          completions,
          `The same jobs, from the beginning of the request to the job's own completed_at. CPU of all services: ` +
            `${shown(cpu * 1000)} ms a job, with its polling.`,
        ),
        at(0.95, 'upload to completed with the null engine', completions, 'The same jobs.'),
      ];
    } finally {
      await bare.stop();
      customer.close();
    }
  },
};
