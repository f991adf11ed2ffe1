import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { SetupError } from '@currawong/local-platform';
import { Arena } from './arena/arena';
import { parseArguments, type FaultArguments } from './arguments';
import { FAULTS } from './faults/all';
import { PLANTED } from './planted/bugs';
import { checkTheChecker } from './planted/check-the-checker';
import { FaultRun } from './run';
import { summary } from './summary';
import { Timeline } from './timeline';

const repositoryFolder = join(__dirname, '..', '..', '..');
const toolsFolder = join(repositoryFolder, '.currawong');
const print = (text: string) => void process.stdout.write(`${text}\n`);

let stopping = false;
let close: () => Promise<void> = () => Promise.resolve();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(130);
    stopping = true;
    void close().finally(() => process.exit(130));
  });
}
process.channel?.unref();

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const known = words.includes('--planted')
    ? PLANTED.map(({ name }) => name)
    : FAULTS.map(({ name }) => name);
  const wanted = parseArguments(words, known);
  if (typeof wanted === 'string') {
    process.stderr.write(`${wanted}\n`);
    return 2;
  }
  if (wanted.planted) {
    return checkTheChecker({ repositoryFolder, toolsFolder, names: wanted.faults, print });
  }
  return faults(wanted);
}

async function faults(wanted: FaultArguments): Promise<number> {
  const seed = wanted.seed ?? randomInt(2 ** 31);
  print(`Seed ${seed}: the same seed repeats the faults (--seed ${seed}).`);
  const timeline = new Timeline(print);
  const arena = await Arena.open({ repositoryFolder, toolsFolder });
  let failed = true;
  close = () => arena.close(failed || wanted.keep);
  timeline.note(`the platform runs in ${arena.folder}`);
  const run = await FaultRun.over(
    arena,
    {
      seed,
      seconds: wanted.minutes * 60,
      kinds: wanted.faults.length === 0 ? FAULTS : FAULTS.filter(({ name }) => wanted.faults.includes(name)),
      outageSeconds: wanted.outageSeconds,
      quietWithinSeconds: 75,
      paceSeconds: 1,
    },
    timeline,
  );
  const report = await run.run(() => stopping);
  failed = report.problems.length > 0;
  await run.close();
  await arena.close(failed || wanted.keep);
  print('');
  print(summary(report, seed));
  if (failed) print(`Repeat it with: npm run test:faults -- --seed ${seed}   Logs and data: ${arena.folder}`);
  else if (wanted.keep) print(`Logs and data: ${arena.folder}`);
  return failed ? 1 : 0;
}

void main()
  .catch(async (error: unknown) => {
    if (stopping) return 130;
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    await close().catch(() => undefined);
    return 1;
  })
  .then((exitCode) => process.exit(exitCode));
