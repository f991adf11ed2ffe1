import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  codedEngine,
  codedRecording,
  compareWords,
  type CodedRecording,
  type SaidWord,
  type TestPlatform,
} from '@currawong/testing';
import { newCustomer, type Customer } from '../customer';
import { figure, shown, type Figure } from '../figure';
import type { Bench, Measurement } from '../measurement';
import { treeBytes } from '../process-usage';
import { recordingFile } from '../recordings';

/** A quick look takes less. */
const HOURS = Number(process.env['CURRAWONG_BENCH_LONG_HOURS'] ?? 3);
/** Longest recording that is promised; heard at full speed, since only the memory is of interest. */
const LONGEST_HOURS = Number(process.env['CURRAWONG_BENCH_LONGEST_HOURS'] ?? 10);
/** Seconds that the engine takes for a second of audio: about those of a small neural one on a CPU. */
const REAL_TIME_FACTOR = 0.05;
const WORKERS = ['worker', 'worker-2'];
const services = ['billing', 'jobs', ...WORKERS, 'gateway'];
const encoding = ['-c:a', 'libopus', '-b:a', '24k', '-compression_level', '0'];

export const longRecording: Measurement = {
  name: 'long-recording',
  title:
    'three hours with one worker, with two, and with two of which one is killed; ten hours for their memory',
  async measure(bench) {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-bench-long-'));
    try {
      return [...(await threeHours(bench, folder)), ...(await tenHours(bench, folder))];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What one job came to. */
interface Run {
  readonly seconds: number;
  readonly comparison: ReturnType<typeof compareWords>;
  readonly recognitionsRepeated: number;
}

async function threeHours(bench: Bench, folder: string): Promise<Figure[]> {
  const recording = await madeRecording(bench, folder, HOURS);
  const started = await platformWithCodedEngine(bench, folder, REAL_TIME_FACTOR);
  const customer = await newCustomer(started);
  const peak = watchMemory(started);
  const run = async (what: string, meanwhile?: (jobId: string) => Promise<void>): Promise<Run> => {
    const found = await transcribed(started, customer, recording, meanwhile);
    bench.progress(`${what}: ${shown(found.seconds)} s`);
    return found;
  };
  try {
    const two = await run('two workers');
    const killed = await run('two workers, one killed in the middle', async (jobId) => {
      await until(customer, jobId, ({ progress }) => progress > 0.5);
      started.kill('worker-2', 'SIGKILL');
    });
    await started.halt('worker-2');
    const one = await run('one worker');
    await started.resume('worker-2');
    const how =
      `${HOURS} hours of speech of which each of the ${recording.words.length} words is known, as Opus of 24 kbit/s; chunks of at most 240 s; ` +
      `an engine that takes ${REAL_TIME_FACTOR} s for each second and hears a word whole or not at all. ` +
      `From the beginning of the upload to completed_at: ${shown(one.seconds)} s with one worker, ${shown(two.seconds)} s with two, ` +
      `${shown(killed.seconds)} s where one of the two was killed half way and started again. Each once.`;
    const wrong = [two, killed, one].map(({ comparison }) => faults(comparison));
    const worst = [two, killed, one].map(({ comparison }) => comparison.worstTimeSeconds);
    return [
      figure([one.seconds / two.seconds], {
        what: `${HOURS} hours, speed with 2 workers ÷ with 1`,
        rangeOf: 'one run of each',
        aim: { atLeast: 1.8 },
        how,
      }),
      figure([one.seconds / killed.seconds], {
        what: `${HOURS} hours, speed with 2 workers of which one is killed ÷ with 1`,
        rangeOf: 'one run of each',
        aim: { atLeast: 1.8 },
        how: `The same runs. ${killed.recognitionsRepeated} chunks were recognized more than once.`,
      }),
      figure(wrong, {
        what: `${HOURS} hours, words lost, doubled, strange or out of order`,
        value: Math.max(...wrong),
        rangeOf: '3 runs',
        aim: { atMost: 0 },
        how: 'The same runs; the most that one of them had.',
      }),
      figure(worst, {
        what: `${HOURS} hours, the worst time of a word`,
        unit: 's off',
        value: Math.max(...worst),
        rangeOf: '3 runs',
        aim: { atMost: 0.5 },
        how: 'The same runs; the engine itself is off by up to 0.1 s.',
      }),
      memoryFigure(`${HOURS} hours`, peak.stop()),
    ];
  } finally {
    peak.stop();
    customer.close();
  }
}

async function tenHours(bench: Bench, folder: string): Promise<Figure[]> {
  const recording = await madeRecording(bench, folder, LONGEST_HOURS);
  const started = await platformWithCodedEngine(bench, folder, 0);
  const customer = await newCustomer(started);
  const peak = watchMemory(started);
  try {
    const { seconds, comparison } = await transcribed(started, customer, recording);
    bench.progress(`${LONGEST_HOURS} hours: ${shown(seconds)} s`);
    return [
      memoryFigure(`${LONGEST_HOURS} hours`, peak.stop()),
      figure([faults(comparison)], {
        what: `${LONGEST_HOURS} hours, words lost, doubled, strange or out of order`,
        rangeOf: 'one run',
        aim: { atMost: 0 },
        how: `${recording.words.length} words; completed in ${shown(seconds)} s with two workers and an engine that takes no time.`,
      }),
    ];
  } finally {
    peak.stop();
    customer.close();
  }
}

function memoryFigure(what: string, peaks: readonly number[]): Figure {
  const mebibytes = peaks.map((bytes) => bytes / 2 ** 20);
  return figure(mebibytes, {
    what: `${what}, peak memory of a worker with its engine and ffmpeg`,
    unit: 'MiB',
    value: Math.max(...mebibytes),
    rangeOf: '2 workers',
    aim: { atMost: 1024 },
    how: 'Memory of the worker and of all processes that it started, together (Pss), looked at four times a second. The engine is the one that hears known words: a real one comes on top with its model.',
  });
}

async function madeRecording(
  { servers, progress }: Bench,
  folder: string,
  hours: number,
): Promise<CodedRecording> {
  progress(`speaking for ${hours} hours`);
  const path = join(folder, `${hours}-hours.ogg`);
  return codedRecording({
    ffmpegPath: servers.tools.ffmpeg,
    path,
    seconds: hours * 3600,
    seed: 41,
    encoding,
  });
}

function platformWithCodedEngine(
  bench: Bench,
  folder: string,
  realTimeFactor: number,
): Promise<TestPlatform> {
  return bench.platform({
    services,
    env: codedEngine(folder, { pythonPath: bench.servers.tools.python, realTimeFactor }),
  });
}

async function transcribed(
  started: TestPlatform,
  customer: Customer,
  recording: CodedRecording,
  meanwhile: (jobId: string) => Promise<void> = () => Promise.resolve(),
): Promise<Run> {
  const { jobId, beganAtMs } = await customer.submit(recordingFile(recording.path));
  await meanwhile(jobId);
  await until(customer, jobId, ({ status }) => status === 'completed');
  const body = JSON.parse((await customer.jobBody(`${jobId}?words=true`)).toString()) as FinishedBody;
  const { work } = await started.admin<{ work: { stage: string; failures: number }[] }>('job', 'show', jobId);
  return {
    seconds: (Date.parse(body.completed_at) - beganAtMs) / 1000,
    comparison: compareWords(
      recording.words,
      body.segments.flatMap(({ words }) => words),
    ),
    recognitionsRepeated: work.filter(({ stage, failures }) => stage === 'recognize' && failures > 0).length,
  };
}

interface FinishedBody {
  completed_at: string;
  segments: { words: SaidWord[] }[];
}

interface UnfinishedBody {
  status: string;
  progress: number;
  error_message: string | null;
}

/** @throws Error when the job failed, or took longer than half an hour */
async function until(
  customer: Customer,
  jobId: string,
  reached: (job: UnfinishedBody) => boolean,
): Promise<void> {
  for (const deadline = performance.now() + 1_800_000; ; await sleep(1_000)) {
    const job = JSON.parse((await customer.jobBody(jobId)).toString()) as UnfinishedBody;
    if (reached(job)) return;
    if (job.status === 'failed') throw new Error(`Job ${jobId} failed: ${job.error_message}`);
    if (performance.now() > deadline)
      throw new Error(`Job ${jobId} is still ${job.status} after half an hour`);
  }
}

function faults({ lost, doubled, strange, outOfOrder }: ReturnType<typeof compareWords>): number {
  return lost.length + doubled.length + strange.length + outOfOrder;
}

/** The most that each worker, with all that it started, has held at a time. */
function watchMemory(started: TestPlatform): { stop(): number[] } {
  const peaks = WORKERS.map(() => 0);
  const look = () =>
    WORKERS.forEach((name, index) => {
      const pid = started.pids()[name];
      if (pid !== undefined) peaks[index] = Math.max(peaks[index]!, treeBytes(pid) || 0);
    });
  const timer = setInterval(look, 250);
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}
