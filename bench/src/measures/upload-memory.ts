import { setTimeout as sleep } from 'node:timers/promises';
import { newCustomer } from '../customer';
import { figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import { platforms } from '../platforms';
import { forgetPeak, peakBytes, residentBytes } from '../process-usage';
import { noise } from '../recordings';

const uploads = 20;
/** The aim is for 100 MB, of which the embedded store on two cores takes so long that uploads are ended for its sake. */
const sizeBytes = 40_000_000;
const mebibyte = 1024 * 1024;

export const uploadMemory: Measurement = {
  name: 'upload-memory',
  title: 'memory of the gateway during simultaneous uploads',
  async measure({ platform, progress }) {
    const started = await platform(platforms.withoutWorker);
    // A gateway that has been through other measurements has grown already, and would have less left to grow.
    await started.restart('gateway');
    const customer = await newCustomer(started);
    const recording = noise(sizeBytes);
    try {
      await customer.submit(recording);
      await sleep(1_000);
      const pid = started.pids()['gateway']!;
      const before = residentBytes(pid);
      forgetPeak(pid);
      const began = performance.now();
      let done = 0;
      await Promise.all(
        Array.from({ length: uploads }, async () => {
          await customer.submit(recording);
          if (++done % 5 === 0) progress(`${done} of ${uploads} uploads`);
        }),
      );
      const seconds = (performance.now() - began) / 1000;
      const peak = peakBytes(pid);
      return [
        figure([(peak - before) / mebibyte], {
          row: 2,
          what: `gateway memory growth during ${uploads} simultaneous uploads of ${sizeBytes / 1e6} MB`,
          unit: 'MiB',
          rangeOf: 'one run',
          aim: { atMost: 64 },
          eased: true,
          how:
            `The aim is for 100 MB each; less here, because a small store on a small machine cannot take 2 GB at once in time. ` +
            `Highest resident memory while they last less that before, of a gateway that has been started afresh and has taken ` +
            `one upload: ${shown(before / mebibyte)} MiB before, ${shown(peak / mebibyte)} MiB at the peak; all ${uploads} took ` +
            `${shown(seconds)} s (${shown((uploads * sizeBytes) / 1e6 / seconds)} MB/s together).`,
        }),
      ];
    } finally {
      customer.close();
    }
  },
};
