import type { SpeechBench } from './speech-bench';
import { startSpeechPeer } from './speech-peer';
import type { Recording, TimedWord, WordErrors } from './quality';
import { median, quantile, summarize, summarizeKnown, type Summary } from '../statistics';

/** A speech engine on the recordings whose words are known. */
export interface RecognizerFigures {
  readonly name: string;
  readonly version: string;
  readonly model: string | null;
  readonly words: WordErrors;
  /** The rate of every round: one value where the engine always hears the same. */
  readonly rate: Summary;
  /** Against forced alignment, or against the times of the synthesis; milliseconds. */
  readonly aligned: TimeFigures | null;
  readonly exact: TimeFigures | null;
  /** Seconds of work per second of audio, in a round over all recordings. */
  readonly realTimeFactor: Summary;
  /** Seconds of processor per second of audio: what else the machine does hardly shows in it. */
  readonly processorFactor: Summary;
  readonly peakMiB: Summary;
  readonly loadSeconds: Summary;
  readonly recordings: readonly RecordingWords[];
}

export interface TimeFigures {
  readonly words: number;
  readonly startMedianMs: number;
  readonly startP95Ms: number;
  readonly endMedianMs: number;
  readonly endP95Ms: number;
}

export interface RecordingWords {
  readonly name: string;
  readonly seconds: number;
  readonly errors: WordErrors;
  readonly heard: string;
}

export async function measureRecognizer(bench: SpeechBench, engine: string): Promise<RecognizerFigures> {
  const { quality, rounds, progress } = bench;
  const recordings = bench.recordings.filter(({ transcript }) => transcript !== null);
  const inRounds: { load: number; peak: number; factor: number; cpu: number; heard: HeardWords[] }[] = [];
  let identity = { name: engine, version: '', model: null as string | null };
  for (let round = 0; round < rounds; round++) {
    const peer = await startSpeechPeer(bench, { recognizer: engine });
    try {
      const { name, version, model, seconds: load } = peer.loaded;
      identity = { name, version, model };
      const cpuBefore = peer.cpuSeconds();
      let worked = 0;
      let audio = 0;
      const heard: HeardWords[] = [];
      for (const recording of recordings) {
        const { seconds, durationSeconds, words } = await peer.hear(recording.path, recording.speakers);
        worked += seconds;
        audio += durationSeconds;
        heard.push({ recording, words });
      }
      const cpu = (peer.cpuSeconds() - cpuBefore) / audio;
      inRounds.push({ load, peak: peer.peakMiB(), factor: worked / audio, cpu, heard });
    } finally {
      await peer.stop();
    }
    progress(`${engine}: ${round + 1} of ${rounds} rounds`);
  }
  const first = inRounds[0]!.heard;
  const together: WordErrors[] = [];
  const perRecording = await scored(bench, first);
  for (const { heard } of inRounds) {
    const errors = (await scored(bench, heard)).map((one) => one.errors);
    together.push(quality.togetherWordErrors(errors));
  }
  return {
    ...identity,
    words: together[0]!,
    rate: summarize(together.map(({ rate }) => rate)),
    aligned: timeFigures(
      bench,
      first.map(({ recording, words }) => [bench.alignment.get(recording.name) ?? null, words] as const),
    ),
    exact: await exactTimes(bench, engine, first),
    realTimeFactor: summarize(inRounds.map(({ factor }) => factor)),
    processorFactor: summarizeKnown(inRounds.map(({ cpu }) => cpu)),
    peakMiB: summarizeKnown(inRounds.map(({ peak }) => peak)),
    loadSeconds: summarize(inRounds.map(({ load }) => load)),
    recordings: perRecording,
  };
}

export interface HeardWords {
  readonly recording: Recording;
  readonly words: readonly TimedWord[];
}

/** The same normaliser for what was said and what was heard. */
export async function scored(
  { normalise, quality }: Pick<SpeechBench, 'normalise' | 'quality'>,
  heard: readonly HeardWords[],
): Promise<RecordingWords[]> {
  const texts = heard.map(({ words }) => words.map(({ text }) => text).join(' '));
  const said = await normalise(heard.map(({ recording }) => recording.transcript!));
  const found = await normalise(texts);
  return heard.map(({ recording: { name, seconds } }, index) => ({
    ...{ name, seconds, heard: texts[index]! },
    errors: quality.wordErrorsOf(said[index]!, found[index]!),
  }));
}

/** Synthetic speech knows its own times; where no such recording is among those measured, the sample is heard as well. */
async function exactTimes(
  bench: SpeechBench,
  engine: string,
  first: readonly HeardWords[],
): Promise<TimeFigures | null> {
  const known = first.filter(({ recording }) => recording.words !== null);
  if (known.length > 0)
    return timeFigures(
      bench,
      known.map(({ recording, words }) => [recording.words, words]),
    );
  if (!bench.timedSample) return null;
  const peer = await startSpeechPeer(bench, { recognizer: engine });
  try {
    const { words } = await peer.hear(bench.timedSample.path, bench.timedSample.speakers);
    return timeFigures(bench, [[bench.timedSample.words, words]]);
  } finally {
    await peer.stop();
  }
}

function timeFigures(
  { quality }: SpeechBench,
  pairs: readonly (readonly [readonly TimedWord[] | null, readonly TimedWord[]])[],
): TimeFigures | null {
  const errors = pairs.flatMap(([reference, words]) =>
    reference ? [quality.wordTimeErrors(reference, words)] : [],
  );
  const starts = errors.flatMap((one) => one.starts);
  const ends = errors.flatMap((one) => one.ends);
  if (starts.length === 0) return null;
  return {
    words: starts.length,
    startMedianMs: 1000 * median(starts),
    startP95Ms: 1000 * quantile(starts, 0.95),
    endMedianMs: 1000 * median(ends),
    endP95Ms: 1000 * quantile(ends, 0.95),
  };
}
