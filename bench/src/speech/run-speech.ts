import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@currawong/local-platform';
import type { Machine } from '../machine';
import { loadNow } from '../machine';
import type { Bench } from '../measurement';
import { diarizers, gapOf, recognizers } from './engines';
import { appendHistory, type HistoryFigure, type HistoryLine, readHistory, regressions } from './history';
import { measureDiarizer, type DiarizerFigures } from './measure-diarizer';
import { measurePlatform, type PlatformFigures } from './measure-platform';
import { measureRecognizer, type RecognizerFigures } from './measure-recognizer';
import { alignTranscripts, whisperNormaliser } from './python-programs';
import { loadQuality, type Quality, type Recording } from './quality';
import type { SpeechArguments } from './speech-arguments';
import type { SpeechBench } from './speech-bench';
import { type Row, speechMarkdown } from './speech-report';

export interface SpeechRun {
  readonly wanted: SpeechArguments;
  readonly bench: Omit<Bench, 'pairs'>;
  readonly machine: Machine;
  readonly begunAt: Date;
  readonly loadBefore: string;
  readonly print: (text: string) => void;
}

/** Measures every engine at hand, writes bench/SPEECH.md and a line of history. @returns the exit code */
export async function runSpeech({
  wanted,
  bench,
  machine,
  begunAt,
  loadBefore,
  print,
}: SpeechRun): Promise<number> {
  const { repositoryFolder, servers } = bench;
  const quality = loadQuality(repositoryFolder);
  const corpus = chosenRecordings(quality, wanted.folder, repositoryFolder);
  if (typeof corpus === 'string') {
    process.stderr.write(`${corpus}\n`);
    return 2;
  }
  print(corpus.description);
  const sample = quality.openCorpus(join(repositoryFolder, 'samples'))?.find(({ words }) => words !== null);
  const { alignment, notAligned } = await alignedRecordings(quality, corpus.recordings, bench);
  const speech: SpeechBench = {
    ...{ repositoryFolder, servers, quality, alignment },
    normalise: await whisperNormaliser(repositoryFolder),
    recordings: corpus.recordings,
    timedSample: sample,
    ...{ rounds: wanted.rounds, pairs: wanted.pairs, progress: bench.progress },
  };
  const isWanted = (name: string) => wanted.engines.length === 0 || wanted.engines.includes(name);
  const row = async <Figures>(engine: string, measure: () => Promise<Figures>): Promise<Row<Figures>> => {
    const gap = gapOf(engine, repositoryFolder);
    if (gap) return { engine, gap };
    try {
      return { engine, figures: await measure() };
    } catch (error) {
      return { engine, gap: (error as Error).message.split('\n')[0]!.replaceAll(repositoryFolder, '.') };
    }
  };
  const measured = {
    recognizers: [] as Row<RecognizerFigures>[],
    diarizers: [] as Row<DiarizerFigures>[],
    platform: [] as Row<PlatformFigures>[],
  };
  for (const name of recognizers.filter(isWanted)) {
    print(`\n── ${name}, called directly`);
    measured.recognizers.push(await row(name, () => measureRecognizer(speech, name)));
  }
  for (const name of diarizers.filter(isWanted)) {
    print(`\n── ${name}, called directly`);
    measured.diarizers.push(await row(name, () => measureDiarizer(speech, name)));
  }
  const [diarizer] = measured.diarizers.filter((one) => 'figures' in one).slice(-1);
  for (const one of measured.recognizers) {
    print(`\n── ${one.engine}, through the platform`);
    if ('gap' in one) measured.platform.push(one);
    else
      measured.platform.push(
        await row(one.engine, async () => {
          const choice = { engine: one.engine, diarizer: diarizer?.engine ?? diarizers[0] };
          const platform = await bench.platform(platformOf(choice));
          return measurePlatform(speech, choice, platform);
        }),
      );
  }
  const line: HistoryLine = {
    date: begunAt.toISOString(),
    commit: await commit(repositoryFolder),
    machine: machine.description,
    load: `${loadBefore} – ${loadNow()}`,
    recordings: corpus.digest,
    figures: historyFigures(measured),
  };
  const historyPath = join(repositoryFolder, 'bench', 'history', 'speech.jsonl');
  const history = readHistory(historyPath);
  const worse = regressions(history, line);
  const text = speechMarkdown({
    ...{ begunAt, machine, loadBefore, loadAfter: loadNow(), notAligned, ...measured },
    ...{ rounds: wanted.rounds, pairs: wanted.pairs, recordings: corpus.description },
    seconds: (Date.now() - begunAt.getTime()) / 1000,
    regressions: worse,
    comparedWith:
      history.length === 0
        ? 'This is the first run in bench/history/speech.jsonl.'
        : worse.length === 0
          ? 'No figure got worse by more than its noise (bench/history/speech.jsonl).'
          : 'Worse by more than the noise (bench/history/speech.jsonl):',
  });
  print(`\n${text}`);
  const failed = [...measured.recognizers, ...measured.diarizers, ...measured.platform].some(
    (one) => 'gap' in one && gapOf(one.engine, repositoryFolder) === undefined,
  );
  if (wanted.engines.length === 0 && wanted.folder === undefined) {
    appendHistory(historyPath, line);
    writeFileSync(join(repositoryFolder, 'bench', 'SPEECH.md'), text);
  } else
    print('bench/SPEECH.md and the history are left as they were: only a run of everything writes them.');
  return failed ? 1 : 0;
}

interface ChosenRecordings {
  readonly recordings: readonly Recording[];
  readonly description: string;
  readonly digest: string;
}

/** The folder that was asked for, else the usual one, else the sample of the repository; a sentence when there is none. */
function chosenRecordings(
  quality: Quality,
  wanted: string | undefined,
  repositoryFolder: string,
): ChosenRecordings | string {
  const samples = join(repositoryFolder, 'samples');
  const folder =
    wanted ?? (existsSync(join(quality.corpusFolder, 'manifest.json')) ? quality.corpusFolder : samples);
  const recordings = quality.openCorpus(folder);
  if (!recordings)
    return `There is no manifest.json in ${folder}; docs/quality.md says what belongs into one.`;
  const missing = recordings.filter(({ path }) => !existsSync(path)).map(({ name }) => name);
  if (missing.length > 0)
    return `The manifest in ${folder} names recordings that are not there: ${missing.join(', ')}.`;
  if (!recordings.some(({ transcript }) => transcript !== null))
    return `No recording in ${folder} has a transcript: there is nothing to compare words with.`;
  const seconds = (of: readonly Recording[]) => Math.round(of.reduce((sum, one) => sum + one.seconds, 0));
  const withWords = recordings.filter(({ transcript }) => transcript !== null);
  const withTurns = recordings.filter(({ turns }) => turns !== null);
  return {
    recordings,
    description:
      `${withWords.length} with a transcript (${seconds(withWords)} s), ${withTurns.length} with speaker turns (${seconds(withTurns)} s)` +
      (folder === samples && wanted === undefined
        ? '; samples/ alone, because there is no ../shared/speech and CURRAWONG_SPEECH_DIR names no folder'
        : ''),
    digest: createHash('sha256')
      .update(readFileSync(join(folder, 'manifest.json')))
      .digest('hex')
      .slice(0, 12),
  };
}

async function alignedRecordings(
  { normalisedWords }: Quality,
  recordings: readonly Recording[],
  { repositoryFolder, servers }: Pick<Bench, 'repositoryFolder' | 'servers'>,
) {
  const known = recordings.filter(({ transcript, words }) => transcript !== null && words === null);
  const questions = known.map(({ path, transcript }) => ({ path, words: normalisedWords(transcript!) }));
  const { python, ffmpeg } = servers.tools;
  const answers = await alignTranscripts(questions, { repositoryFolder, python, ffmpeg });
  return {
    alignment: new Map(
      known.flatMap(({ name }, index) => (answers[index]!.words ? [[name, answers[index]!.words]] : [])),
    ),
    notAligned: known.flatMap(({ name }, index) =>
      answers[index]!.error ? [[name, answers[index]!.error] as const] : [],
    ),
  };
}

/** The same object for the same engines, so that a platform that runs is not started again. */
const platformsByChoice = new Map<string, { env: Record<string, string> }>();

function platformOf({ engine, diarizer }: { readonly engine: string; readonly diarizer: string }) {
  const key = `${engine} ${diarizer}`;
  const options = platformsByChoice.get(key) ?? { env: { RECOGNIZER: engine, DIARIZER: diarizer } };
  platformsByChoice.set(key, options);
  return options;
}

async function commit(repositoryFolder: string): Promise<string> {
  const { exitCode, stdout } = await runCommand('git', ['describe', '--always', '--dirty'], {
    cwd: repositoryFolder,
  });
  return exitCode === 0 ? stdout.trim() : 'unknown';
}

function historyFigures(measured: {
  readonly recognizers: readonly Row<RecognizerFigures>[];
  readonly diarizers: readonly Row<DiarizerFigures>[];
  readonly platform: readonly Row<PlatformFigures>[];
}): Record<string, HistoryFigure> {
  const figures: Record<string, HistoryFigure> = {};
  const spread = ({ low, high }: { low: number; high: number }) => high - low;
  const costs = (name: string, one: RecognizerFigures | DiarizerFigures) => {
    for (const [what, summary] of [
      ['real-time factor', one.realTimeFactor],
      ['processor factor', one.processorFactor],
      ['peak MiB', one.peakMiB],
      ['load s', one.loadSeconds],
    ] as const)
      if (Number.isFinite(summary.median))
        figures[`${name} ${what}`] = { value: summary.median, noise: spread(summary), cost: true };
  };
  for (const row of measured.recognizers) {
    if (!('figures' in row)) continue;
    const { rate, exact, aligned } = row.figures;
    figures[`${row.engine} word error rate %`] = { value: 100 * rate.median, noise: 100 * spread(rate) };
    for (const [against, times] of [
      ['synthesis', exact],
      ['alignment', aligned],
    ] as const) {
      if (!times) continue;
      // A frame of 10 ms more or less is no change.
      figures[`${row.engine} word begin p95 ms against ${against}`] = { value: times.startP95Ms, noise: 10 };
      figures[`${row.engine} word end p95 ms against ${against}`] = { value: times.endP95Ms, noise: 10 };
    }
    costs(row.engine, row.figures);
  }
  for (const row of measured.diarizers) {
    if (!('figures' in row)) continue;
    const { rate, strict } = row.figures;
    figures[`${row.engine} diarization error rate % (collar)`] = {
      value: 100 * rate.median,
      noise: 100 * spread(rate),
    };
    figures[`${row.engine} diarization error rate %`] = {
      value: 100 * strict.rate,
      noise: 100 * spread(rate),
    };
    costs(row.engine, row.figures);
  }
  for (const row of measured.platform) {
    if (!('figures' in row)) continue;
    const { beyondMs, different } = row.figures;
    figures[`${row.engine} platform beyond 105 % ms`] = {
      value: beyondMs.median,
      noise: spread(beyondMs),
      cost: true,
    };
    figures[`${row.engine} platform recordings with other words`] = { value: different.length, noise: 0 };
  }
  return figures;
}
