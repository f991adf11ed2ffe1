import { type Prepared, preparedVariable } from './prepared';
import { outcomeOf } from './program';
import { recordedTimes } from './times';

/** Takes down what global-setup.ts brought up, and says how long everything took. */
export default async function globalTeardown(): Promise<void> {
  const prepared = JSON.parse(process.env[preparedVariable] ?? 'null') as Prepared | null;
  if (!prepared) return;
  const times = recordedTimes();
  process.stderr.write('\nTime on the cluster:\n');
  for (const [name, seconds] of times) process.stderr.write(`${seconds.toFixed(1).padStart(8)} s  ${name}\n`);
  const total = times.reduce((sum, [, seconds]) => sum + seconds, 0);
  process.stderr.write(`${total.toFixed(1).padStart(8)} s  together\n`);
  const [down] = prepared.down ?? [];
  if (!down) return;
  const { exitCode, stderr } = await outcomeOf(down, [], { timeoutSeconds: 180 });
  process.stderr.write(
    exitCode === 0 ? 'The cluster was taken down.\n' : `The cluster is still up: ${stderr}\n`,
  );
}
