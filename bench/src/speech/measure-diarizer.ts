import { summarize, summarizeKnown, type Summary } from '../statistics';
import type { DiarizationErrors } from './quality';
import type { SpeechBench } from './speech-bench';
import { startSpeechPeer } from './speech-peer';

/** A diarizer on the recordings of which it is known who speaks when, asked for exactly as many speakers as there are. */
export interface DiarizerFigures {
  readonly name: string;
  readonly version: string;
  /** With a quarter of a second on both sides of every reference border left out, and with nothing left out. */
  readonly collar: DiarizationErrors;
  readonly strict: DiarizationErrors;
  /** The rate with the collar, of every round. */
  readonly rate: Summary;
  readonly realTimeFactor: Summary;
  /** Seconds of processor per second of audio: what else the machine does hardly shows in it. */
  readonly processorFactor: Summary;
  readonly peakMiB: Summary;
  readonly loadSeconds: Summary;
  readonly recordings: readonly RecordingSpeakers[];
}

export interface RecordingSpeakers {
  readonly name: string;
  readonly seconds: number;
  readonly speakers: number;
  readonly found: number;
  readonly collar: DiarizationErrors;
  readonly strict: DiarizationErrors;
}

export async function measureDiarizer(bench: SpeechBench, diarizer: string): Promise<DiarizerFigures> {
  const { quality, rounds, progress } = bench;
  const recordings = bench.recordings.filter(({ turns }) => turns !== null);
  const inRounds: { load: number; peak: number; factor: number; cpu: number; found: RecordingSpeakers[] }[] =
    [];
  let identity = { name: diarizer, version: '' };
  for (let round = 0; round < rounds; round++) {
    const peer = await startSpeechPeer(bench, { diarizer });
    try {
      const { name, version, seconds: load } = peer.loaded;
      identity = { name, version };
      const cpuBefore = peer.cpuSeconds();
      let worked = 0;
      let audio = 0;
      const found: RecordingSpeakers[] = [];
      for (const { name, path, seconds, speakers, turns: reference } of recordings) {
        const heard = await peer.hear(path, speakers);
        worked += heard.seconds;
        audio += heard.durationSeconds;
        found.push({
          ...{ name, seconds, speakers },
          found: new Set(heard.turns.map(({ speaker }) => speaker)).size,
          collar: quality.diarizationErrors(reference!, heard.turns, { collarSeconds: 0.25 }),
          strict: quality.diarizationErrors(reference!, heard.turns, { collarSeconds: 0 }),
        });
      }
      const cpu = (peer.cpuSeconds() - cpuBefore) / audio;
      inRounds.push({ load, peak: peer.peakMiB(), factor: worked / audio, cpu, found });
    } finally {
      await peer.stop();
    }
    progress(`${diarizer}: ${round + 1} of ${rounds} rounds`);
  }
  const together = (which: 'collar' | 'strict', found: readonly RecordingSpeakers[]) =>
    quality.togetherDiarizationErrors(found.map((one) => one[which]));
  const first = inRounds[0]!.found;
  return {
    ...identity,
    collar: together('collar', first),
    strict: together('strict', first),
    rate: summarize(inRounds.map(({ found }) => together('collar', found).rate)),
    realTimeFactor: summarize(inRounds.map(({ factor }) => factor)),
    processorFactor: summarizeKnown(inRounds.map(({ cpu }) => cpu)),
    peakMiB: summarizeKnown(inRounds.map(({ peak }) => peak)),
    loadSeconds: summarize(inRounds.map(({ load }) => load)),
    recordings: first,
  };
}
