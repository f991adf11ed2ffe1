import { newCustomer } from '../customer';
import { figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import { platforms } from '../platforms';
import { cpuSeconds } from '../process-usage';
import { tone } from '../recordings';
import { median } from '../statistics';

const clients = 8;
const jobsPerClient = 6;
const audioSeconds = 3;

export const throughput: Measurement = {
  name: 'throughput',
  title: 'whole jobs a second',
  async measure({ pairs, platform, progress }) {
    const started = await platform(platforms.nullEngine);
    const customers = await Promise.all(Array.from({ length: clients }, () => newCustomer(started)));
    const recording = tone(audioSeconds);
    const jobs = clients * jobsPerClient;

    const round = async () => {
      const cpuBefore = cpuSeconds(Object.values(started.pids()));
      const beganAtMs = Date.now();
      const submitted = await Promise.all(
        customers.map(async (customer) => {
          const ids: string[] = [];
          for (let n = 0; n < jobsPerClient; n++) ids.push((await customer.submit(recording)).jobId);
          return ids.map((id) => ({ customer, id }));
        }),
      );
      const receivedAtMs = Date.now();
      let lastAtMs = 0;
      for (const { customer, id } of submitted.flat())
        lastAtMs = Math.max(lastAtMs, (await customer.completed(id, 200)).completedAtMs);
      const cpu = (cpuSeconds(Object.values(started.pids())) - cpuBefore) / jobs;
      return {
        perSecond: (jobs * 1000) / (lastAtMs - beganAtMs),
        receiptsPerSecond: (jobs * 1000) / (receivedAtMs - beganAtMs),
        cpu,
      };
    };

    try {
      await round();
      const rounds: Awaited<ReturnType<typeof round>>[] = [];
      for (let n = 1; n <= pairs; n++) {
        rounds.push(await round());
        progress(`${n} of ${pairs} rounds`);
      }
      return [
        figure(
          rounds.map(({ perSecond }) => perSecond),
          {
            what: `whole jobs/s with the null engine, ${clients} clients, one worker`,
            unit: 'jobs/s',
            rangeOf: `${pairs} rounds`,
            how:
              `${clients} accounts upload ${jobsPerClient} recordings of ${audioSeconds} s each, one after the other; from the first request to ` +
              `the last completed_at. The worker takes one recording at a time and decodes it with ffmpeg. Receipts: ` +
              `${shown(median(rounds.map((one) => one.receiptsPerSecond)))} a second. CPU of all services: ` +
              `${shown(median(rounds.map((one) => one.cpu)) * 1000)} ms a job. Absolute: row 5 divides it by its peers.`,
          },
        ),
      ];
    } finally {
      for (const customer of customers) customer.close();
    }
  },
};
