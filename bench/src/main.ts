import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '@currawong/local-platform';
import { type PlatformOptions, startPlatform, startTestServers, type TestPlatform } from '@currawong/testing';
import { type BenchArguments, parseArguments } from './arguments';
import type { Figure } from './figure';
import { describeMachine, loadNow } from './machine';
import { type Bench, NotMeasurable } from './measurement';
import { measurements, notMeasuredYet } from './measurements';
import { line, markdown } from './report';
import { diarizers, recognizers } from './speech/engines';
import { runSpeech } from './speech/run-speech';
import { runSoak, soakMinutes } from './soak/run-soak';
import { parseSpeechArguments } from './speech/speech-arguments';

const repositoryFolder = join(__dirname, '..', '..');
const resultsPath = join(repositoryFolder, 'bench', 'RESULTS.md');
const print = (text: string) => void process.stdout.write(`${text}\n`);

/** What to undo before this process ends, the last first. */
const opened: (() => Promise<void>)[] = [];
let stopping: Promise<void> | undefined;

async function main(): Promise<number> {
  const [first, ...others] = process.argv.slice(2);
  const speech =
    first === 'speech' ? parseSpeechArguments(others, [...recognizers, ...diarizers]) : undefined;
  const minutes = first === 'soak' ? soakMinutes() : undefined;
  if (typeof minutes === 'string') {
    process.stderr.write(`${minutes}\n`);
    return 2;
  }
  const wanted =
    speech ??
    parseArguments(
      minutes === undefined ? process.argv.slice(2) : others,
      measurements.map(({ name }) => name),
    );
  if (typeof wanted === 'string') {
    process.stderr.write(`${wanted}\n`);
    return 2;
  }
  const begunAt = new Date();
  const loadBefore = loadNow();
  print('Starting Postgres, NATS and the S3 store …');
  const { servers, stop } = await startTestServers(repositoryFolder);
  opened.push(stop);
  const machine = await describeMachine(servers, repositoryFolder);
  print(`${machine.description}; load ${loadBefore}`);
  const bench: Bench = {
    pairs: wanted.pairs,
    servers,
    repositoryFolder,
    platform: onePlatformAtATime(),
    progress: (text: string) => print(`    ${text}`),
  };
  if (minutes !== undefined) return runSoak(minutes, { bench, machine, begunAt, loadBefore, print });
  if (!('names' in wanted)) return runSpeech({ wanted, bench, machine, begunAt, loadBefore, print });
  const { figures, gaps, failed } = await measureAll(wanted, bench);
  const seconds = (Date.now() - begunAt.getTime()) / 1000;
  const loadAfter = loadNow();
  const text = markdown({
    ...{ begunAt, seconds, pairs: wanted.pairs, machine, loadBefore, loadAfter, figures, gaps },
    notMeasuredYet,
  });
  print(`\n${text}`);
  // A look at one measurement must not cost the figures of all the others.
  if (wanted.names.length === measurements.length) writeFileSync(resultsPath, text);
  else print('bench/RESULTS.md is left as it was: only a run of everything writes it.');
  return failed ? 1 : 0;
}

/** A measurement that fails leaves a gap, and the others go on. */
async function measureAll({ names }: BenchArguments, bench: Bench) {
  const figures: Figure[] = [];
  const gaps: [string, string][] = [];
  let failed = false;
  for (const { name, title, measure } of measurements) {
    if (!names.includes(name)) {
      gaps.push([name, 'not asked for']);
      continue;
    }
    print(`\n── ${name}: ${title}`);
    const began = performance.now();
    try {
      const measured = await measure(bench);
      figures.push(...measured);
      for (const one of measured) print(line(one));
    } catch (error) {
      if (stopping) throw error;
      const { message, stack } = error as Error;
      gaps.push([name, message.split('\n')[0]!]);
      failed ||= !(error instanceof NotMeasurable);
      print(`  ${error instanceof NotMeasurable ? `not measurable here: ${message}` : stack}`);
    }
    print(`    (${((performance.now() - began) / 1000).toFixed(0)} s)`);
  }
  return { figures, gaps, failed };
}

function onePlatformAtATime(): Bench['platform'] {
  let running: { options: PlatformOptions; platform: TestPlatform } | undefined;
  opened.push(async () => running?.platform.stop());
  return async (options) => {
    if (running?.options === options) return running.platform;
    const last = running;
    running = undefined;
    await last?.platform.stop();
    running = { options, platform: await startPlatform(options) };
    return running.platform;
  };
}

function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (let close = opened.pop(); close; close = opened.pop()) await close();
  })();
  return stopping;
}

// Ctrl-C, a signal, or the end of the process that started this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.on(signal, () => void stopAll().finally(() => process.exit(130)));
}
process.channel?.unref();

void main()
  .catch((error: unknown) => {
    // What is being stopped fails.
    if (stopping) return 130;
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    return 1;
  })
  .then(async (exitCode) => {
    await stopAll();
    process.exit(exitCode);
  });
