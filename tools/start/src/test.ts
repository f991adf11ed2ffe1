import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  chromiumRemedy,
  ensureChromium,
  ensurePrometheus,
  prometheusRemedy,
  readJson,
  SetupError,
} from '@currawong/local-platform';
import { startTestServers } from '@currawong/testing';
import { listenForInterruption } from './interruption';
import { Screen } from './screen';
import {
  exitCodeOf,
  type JestReport,
  sum,
  summaryLine,
  type Tally,
  tallyCheck,
  tallyJest,
} from './test-summary';

const repository = join(__dirname, '..', '..', '..');
const screen = new Screen(process.stdout);
const kinds = [
  ...(['format', 'lint', 'types', 'unit', 'chart', 'integration', 'e2e', 'measured', 'faults'] as const),
  'cluster',
] as const;
type Kind = (typeof kinds)[number];

/** A cluster has to be asked for: what is tested there takes minutes and may be somebody's. */
const unlessNamed = kinds.filter((kind) => kind !== 'cluster');

/** Tests on servers mostly wait, so more of them than cores run at once; what measures the machine has it alone. */
const jestWorkers = {
  unit: ['--maxWorkers=100%'],
  chart: ['--maxWorkers=100%'],
  integration: ['--maxWorkers=3'],
  e2e: ['--maxWorkers=3', '--testSequencer=./e2e/sequencer.mjs'],
  measured: ['--runInBand'],
  // One installation is looked at from its first hour to its last.
  cluster: ['--runInBand', '--testSequencer=./e2e/cluster/sequencer.mjs'],
};
const onServers: readonly Kind[] = ['integration', 'e2e', 'measured'];

/** The same faults each time; other seeds are tried by hand. */
const FAULTS_SEED = '5';
/** The checker is worth as much as what it finds. The other planted bugs take up to two minutes each: they are tried by hand. */
const PLANTED_BUGS = 'publish-before-commit';

let running: ChildProcess | undefined;
const interruption = listenForInterruption();

/** Runs everything but the test on a cluster, or the kinds that are named, in this order; gives the exit code. */
async function main(): Promise<number> {
  const { wanted, jestArguments } = parseTestArguments(process.argv.slice(2));
  if (wanted.includes('e2e')) {
    const missing = await ensureChromium(screen.step);
    if (missing) screen.line(`Tests in a browser will be skipped, ${missing}: ${chromiumRemedy}.`);
  }
  if (wanted.includes('chart') || wanted.includes('e2e')) {
    const missing = await ensurePrometheus(join(repository, '.currawong'), screen.step);
    if (missing) screen.line(`Tests with Prometheus will be skipped, ${missing}: ${prometheusRemedy}.`);
  }
  const needServers = wanted.some((kind) => onServers.includes(kind));
  const servers = needServers ? await startTestServers(repository, screen.step) : undefined;
  void interruption.asked.then(() => running?.kill('SIGTERM'));
  try {
    const rows: [Kind, Tally, number][] = [];
    for (const kind of wanted) {
      if (interruption.wasAsked()) break;
      screen.line(`\n── ${kind}`);
      const began = performance.now();
      rows.push([kind, await check(kind, jestArguments), (performance.now() - began) / 1000]);
    }
    screen.line();
    for (const [kind, tally, seconds] of rows) {
      screen.line(
        `${tally.failed === 0 ? '✓' : '✗'} ${kind.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s  ${summaryLine(tally)}`,
      );
    }
    if (interruption.wasAsked()) return 130;
    const total = sum(rows.map(([, tally]) => tally));
    return report(total);
  } finally {
    await servers?.stop();
  }
}

/** Said last of all, after the servers have been stopped. */
let lastLine = '';
function report(total: Tally): number {
  lastLine = summaryLine(total);
  return exitCodeOf(total);
}

/** `npm test -- unit integration some/path` runs two kinds, and of them the files whose path matches. */
function parseTestArguments(words: readonly string[]): {
  wanted: readonly Kind[];
  jestArguments: readonly string[];
} {
  const named = kinds.filter((kind) => words.includes(kind));
  const rest = words.filter((word) => !(kinds as readonly string[]).includes(word));
  const paths = rest.filter((word) => !word.startsWith('-'));
  return {
    wanted: named.length > 0 ? named : unlessNamed,
    jestArguments: [
      ...rest.filter((word) => word.startsWith('-')),
      ...(paths.length > 0 ? ['--testPathPatterns', ...paths] : []),
    ],
  };
}

async function check(kind: Kind, jestArguments: readonly string[]): Promise<Tally> {
  const bin = (name: string) => join(repository, 'node_modules', '.bin', name);
  switch (kind) {
    case 'format':
      return tallyCheck(await run(bin('prettier'), ['--check', '--log-level=warn', '.']));
    case 'lint':
      return tallyCheck(await run(bin('eslint'), ['--max-warnings=0', '.']));
    case 'types':
      return sum([
        tallyCheck(await run(bin('tsc'), ['-p', 'tsconfig.json'])),
        // Pages live in another world: the browser's types instead of Node's.
        tallyCheck(await run(bin('tsc'), ['-p', 'apps/dashboard'])),
      ]);
    case 'faults': {
      const harness = join(repository, 'tools', 'faults', 'dist', 'main.js');
      const tallies: Tally[] = [];
      for (const words of [
        ['--seed', FAULTS_SEED, '--minutes', '3'],
        ['--planted', '--faults', PLANTED_BUGS],
      ])
        if (!interruption.wasAsked())
          tallies.push(tallyCheck(await run(process.execPath, [harness, ...words])));
      return sum(tallies);
    }
    case 'unit':
    case 'chart':
    case 'integration':
    case 'e2e':
    case 'measured':
    case 'cluster': {
      const folder = join(repository, '.currawong', 'test-reports');
      mkdirSync(folder, { recursive: true });
      const outputFile = join(folder, `${kind}.json`);
      rmSync(outputFile, { force: true });
      const exitCode = await run(bin('jest'), [
        ...['--selectProjects', kind, '--json', `--outputFile=${outputFile}`, '--passWithNoTests'],
        ...jestWorkers[kind],
        ...jestArguments,
      ]);
      return tallyJest(readJson<JestReport>(outputFile), exitCode);
    }
  }
}

function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    // jest repeats its report on standard output when asked for JSON: the file is what is read.
    const quiet = args.includes('--json');
    const child = spawn(program, args, {
      cwd: repository,
      stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
      env: { ...process.env, NX_DAEMON: 'false' },
    });
    running = child;
    child.once('error', (error) => {
      screen.line(error.message);
      resolve(127);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 1)));
  });
}

void main()
  .catch((error: unknown) => {
    screen.close();
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    lastLine = '0 passed, 1 failed';
    return 1;
  })
  .then((exitCode) => {
    if (lastLine) screen.line(`\n${lastLine}`);
    process.exit(exitCode);
  });
