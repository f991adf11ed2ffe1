import { diagnosis } from './diagnosis';
import { recordTime } from './times';

/**
 * A test that takes its time on the cluster. Where it fails it first says what the cluster looks like; how long it took is
 * said at the end of the run.
 */
export function step(name: string, withinSeconds: number, run: () => Promise<void>): void {
  it(
    name,
    async () => {
      const began = performance.now();
      try {
        await run();
      } catch (error) {
        process.stderr.write(`\n✗ ${name}\n${(error as Error).message}\n\n${await diagnosis()}\n`);
        throw error;
      } finally {
        recordTime(name, (performance.now() - began) / 1000);
      }
    },
    // What a test says of itself is worth more than jest's word that it took too long.
    (withinSeconds + 30) * 1000,
  );
}

/** Something that a test measured and whoever reads its output wants to know. */
export function remark(text: string): void {
  process.stderr.write(`             ${text}\n`);
}
