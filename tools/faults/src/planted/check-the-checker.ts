import { Arena } from '../arena/arena';
import { stretch } from '../busy-machine';
import { FAULTS } from '../faults/all';
import { FaultRun } from '../run';
import { Timeline } from '../timeline';
import { PLANTED, type PlantedBug } from './bugs';
import { mutatedCopy } from './mutated-copy';

/** A bug that is not found within this, on a machine that nobody else keeps busy, is not found. */
const FOUND_WITHIN_SECONDS = 120;
const SEED = 7;

export interface CheckerOptions {
  readonly repositoryFolder: string;
  readonly toolsFolder: string;
  /** Names of planted bugs; empty means all. */
  readonly names: readonly string[];
  readonly print: (text: string) => void;
}

/** Runs the harness on services with a known bug, one bug at a time. @returns the exit code: 0 where each was found */
export async function checkTheChecker({
  repositoryFolder,
  toolsFolder,
  names,
  print,
}: CheckerOptions): Promise<number> {
  const wanted = PLANTED.filter(({ name }) => names.length === 0 || names.includes(name));
  const missed: string[] = [];
  for (const bug of wanted) {
    print(`── ${bug.name}`);
    const { seconds, problems } = await problemsWith(bug, { repositoryFolder, toolsFolder, print });
    const seen = problems.find((problem) => bug.found.test(problem));
    const isLate = seconds > FOUND_WITHIN_SECONDS * stretch();
    if (seen === undefined || isLate) missed.push(bug.name);
    print(
      seen === undefined
        ? `✗ ${bug.name} was not found in ${seconds.toFixed(0)} s${problems.length > 0 ? `; what was found instead: ${problems[0]}` : ''}`
        : `${isLate ? '✗' : '✓'} ${bug.name} was found after ${seconds.toFixed(0)} s: ${seen}`,
    );
  }
  print(
    `\n${wanted.length - missed.length} of ${wanted.length} planted bugs were found${missed.length > 0 ? `; not found: ${missed.join(', ')}` : ''}.`,
  );
  return missed.length === 0 ? 0 : 1;
}

/** @returns seconds from the first load to the problems */
async function problemsWith(
  bug: PlantedBug,
  { repositoryFolder, toolsFolder, print }: Omit<CheckerOptions, 'names'>,
): Promise<{ seconds: number; problems: readonly string[] }> {
  const copy = mutatedCopy(repositoryFolder, bug.edits);
  try {
    const arena = await Arena.open({ repositoryFolder: copy.folder, toolsFolder });
    try {
      const timeline = new Timeline((line) => print(`   ${line}`));
      const run = await FaultRun.over(
        arena,
        {
          seed: SEED,
          seconds: (FOUND_WITHIN_SECONDS - 30) * stretch(),
          kinds: FAULTS.filter(({ name }) => bug.faults.includes(name)),
          outageSeconds: 3,
          // Shorter than the two minutes after which a stream forgets an id.
          quietWithinSeconds: 40,
          quietAtMostSeconds: 55,
          paceSeconds: 1.5,
        },
        timeline,
      );
      const began = performance.now();
      const { problems } = await run.run();
      const seconds = (performance.now() - began) / 1000;
      await run.close();
      return { seconds, problems };
    } finally {
      await arena.close(false);
    }
  } finally {
    copy.remove();
  }
}
