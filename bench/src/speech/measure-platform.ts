import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@currawong/local-platform';
import type { TestPlatform } from '@currawong/testing';
import { newCustomer } from '../customer';
import { recordingFile } from '../recordings';
import { inTurns, ratiosOfPairs, summarize, type Summary } from '../statistics';
import { scored } from './measure-recognizer';
import type { Recording, TimedWord, WordErrors } from './quality';
import type { SpeechBench } from './speech-bench';
import { startSpeechPeer } from './speech-peer';

/** The same engine behind the API, beside itself called directly. */
export interface PlatformFigures {
  readonly words: WordErrors;
  /** Recordings, the minute included, whose words, times and confidences are the same as those of the engine called directly. */
  readonly same: number;
  readonly recordings: number;
  /** Names of the others. */
  readonly different: readonly string[];
  readonly minuteSeconds: number;
  readonly jobSeconds: Summary;
  readonly directSeconds: Summary;
  /** Job over direct call, pair by pair. */
  readonly ratio: Summary;
  /** What a job takes more than 1.05 times the direct call, pair by pair: at most 100 is asked for. */
  readonly beyondMs: Summary;
}

export async function measurePlatform(
  bench: SpeechBench,
  { engine, diarizer }: { readonly engine: string; readonly diarizer: string },
  platform: TestPlatform,
): Promise<PlatformFigures> {
  const { pairs, progress, servers, repositoryFolder } = bench;
  const known = bench.recordings.filter(({ transcript }) => transcript !== null);
  const folder = mkdtempSync(join(tmpdir(), 'currawong-minute-'));
  const customer = await newCustomer(platform);
  const peer = await startSpeechPeer({ repositoryFolder, servers }, { recognizer: engine, diarizer });
  // As the platform does for a client that does not say how many speakers there are.
  const direct = (path: string) => peer.hear(path, 2, true);
  const job = async (path: string) => {
    const { jobId, beganAtMs } = await customer.submit(recordingFile(path));
    const { completedAtMs } = await customer.completed(jobId, 500, 900);
    return { jobId, seconds: (completedAtMs - beganAtMs) / 1000 };
  };
  try {
    const minute = await aMinute(known, folder, servers.tools.ffmpeg);
    const through: { recording: Recording; words: readonly TimedWord[] }[] = [];
    const different: string[] = [];
    for (const recording of [...known, minute]) {
      const { jobId } = await job(recording.path);
      const words = await customer.words(jobId);
      const { words: asDirect } = await direct(recording.path);
      if (listed(words) !== listed(asDirect)) different.push(recording.name);
      if (recording !== minute) through.push({ recording, words });
    }
    const { ours, theirs } = await inTurns(
      pairs,
      {
        ours: async () => (await job(minute.path)).seconds,
        theirs: async () => (await direct(minute.path)).seconds,
      },
      (round) => progress(`${engine} through the platform: ${round} of ${pairs} pairs`),
    );
    const perRecording = await scored(bench, through);
    return {
      words: bench.quality.togetherWordErrors(perRecording.map(({ errors }) => errors)),
      same: known.length + 1 - different.length,
      recordings: known.length + 1,
      different,
      minuteSeconds: minute.seconds,
      jobSeconds: summarize(ours),
      directSeconds: summarize(theirs),
      ratio: summarize(ratiosOfPairs(ours, theirs)),
      beyondMs: summarize(ours.map((seconds, index) => 1000 * (seconds - 1.05 * theirs[index]!))),
    };
  } finally {
    await peer.stop();
    customer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** At most 5 % and a tenth of a second more than the engine called directly, in the middle of all pairs. */
export function costsLittle({ beyondMs }: Pick<PlatformFigures, 'beyondMs'>): boolean {
  return beyondMs.median <= 100;
}

/** In order of time: a transcript has its words by speaker. */
function listed(words: readonly (TimedWord & { readonly confidence: number | null })[]): string {
  const plain = words.map(({ text, start, end, confidence }) => ({ text, start, end, confidence }));
  return JSON.stringify(plain.sort((a, b) => a.start - b.start || a.end - b.end));
}

/** The recordings one after the other until they fill a minute, again from the first where they do not, as one file. */
async function aMinute(recordings: readonly Recording[], folder: string, ffmpeg: string): Promise<Recording> {
  const parts: Recording[] = [];
  const length = () => parts.reduce((sum, { seconds }) => sum + seconds, 0);
  while (length() < 60) parts.push(recordings[parts.length % recordings.length]!);
  const path = join(folder, 'minute.wav');
  const mixed = parts.map(
    (_, index) => `[${index}:a]aresample=16000,aformat=channel_layouts=mono[p${index}];`,
  );
  const joined = parts.map((_, index) => `[p${index}]`).join('');
  const filter = `${mixed.join('')}${joined}concat=n=${parts.length}:v=0:a=1`;
  const { exitCode, stderr } = await runCommand(ffmpeg, [
    ...['-nostdin', '-v', 'error', '-y', ...parts.flatMap((part) => ['-i', part.path])],
    ...['-filter_complex', filter, '-c:a', 'pcm_s16le', path],
  ]);
  if (exitCode !== 0) throw new Error(`ffmpeg could not join the recordings: ${stderr}`);
  const transcript = parts.map((part) => part.transcript).join(' ');
  return { name: 'minute', path, seconds: length(), speakers: 2, transcript, turns: null, words: null };
}
