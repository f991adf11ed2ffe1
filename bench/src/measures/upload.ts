import { startBareUploads } from '../bare-upload';
import { newCustomer } from '../customer';
import { figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import { platforms } from '../platforms';
import { cpuSeconds } from '../process-usage';
import { noise } from '../recordings';
import { inTurns, median, ratiosOfPairs } from '../statistics';

const sizeBytes = 200_000_000;

export const upload: Measurement = {
  name: 'upload',
  title: 'upload speed beside a bare node:http handler',
  async measure({ pairs, platform, progress }) {
    const started = await platform(platforms.withoutWorker);
    const customer = await newCustomer(started);
    const bare = await startBareUploads(started.s3);
    const recording = noise(sizeBytes);
    const ours = () => customer.submit(recording);
    const theirs = () => bare.send(recording);
    const gateway = () => [started.pids()['gateway']!];
    try {
      await ours();
      await theirs();
      const speed = await inTurns(
        pairs,
        { ours: () => timed(gateway(), ours), theirs: () => timed([bare.peer.pid], theirs) },
        (round) => progress(`${round} of ${pairs} pairs`),
      );
      const megabytes = (side: Timed[]) =>
        shown(median(side.map(({ seconds }) => sizeBytes / 1e6 / seconds)));
      const cpu = (side: Timed[]) => shown(median(side.map((one) => one.cpuSeconds)));
      const ratios = ratiosOfPairs(
        speed.ours.map(({ seconds }) => 1 / seconds),
        speed.theirs.map(({ seconds }) => 1 / seconds),
      );
      return [
        figure(ratios, {
          row: 1,
          what: 'upload MB/s through POST /transcribe ÷ bare node:http handler',
          rangeOf: `${pairs} pairs`,
          aim: { atLeast: 0.9 },
          how:
            `One WAV of ${sizeBytes / 1e6} MB by an account with credit, from the first byte to the receipt; the bare handler pipes ` +
            'the same bytes into one presigned PUT (no hash, no parts, no check). No worker runs meanwhile. Medians: ' +
            `${megabytes(speed.ours)} MB/s against ${megabytes(speed.theirs)} MB/s; CPU ${cpu(speed.ours)} s (gateway) against ` +
            `${cpu(speed.theirs)} s (handler) an upload.`,
        }),
      ];
    } finally {
      await bare.stop();
      customer.close();
    }
  },
};

interface Timed {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function timed(pids: readonly number[], work: () => Promise<{ seconds: number }>): Promise<Timed> {
  const before = cpuSeconds(pids);
  const { seconds } = await work();
  return { seconds, cpuSeconds: cpuSeconds(pids) - before };
}
