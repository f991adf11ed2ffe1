import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { newCustomer } from '../customer';
import { figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import type { EngineAnswer, EngineQuestion } from '../peers/engine';
import { startPeer } from '../peers/peer-process';
import { platforms } from '../platforms';
import { recordingFile } from '../recordings';
import { inTurns, median, ratiosOfPairs } from '../statistics';

export const engineCost: Measurement = {
  name: 'engine-cost',
  title: 'a job beside its engine called directly',
  async measure({ pairs, servers, repositoryFolder, platform, progress }) {
    const inputPath = recordingPath(repositoryFolder);
    const started = await platform(platforms.pocketSphinx);
    const customer = await newCustomer(started);
    const engine = await startPeer('engine');
    const recording = recordingFile(inputPath);
    const question: EngineQuestion = {
      repositoryFolder,
      inputPath,
      ffmpegPath: servers.tools.ffmpeg,
      pythonPath: servers.tools.python,
      numSpeakers: 2,
    };
    let last: EngineAnswer | undefined;
    const direct = async () => (last = await engine.ask<EngineAnswer>(question)).seconds;
    const job = async () => {
      const { jobId, beganAtMs } = await customer.submit(recording);
      return ((await customer.completed(jobId, 500)).completedAtMs - beganAtMs) / 1000;
    };
    try {
      await job();
      await direct();
      const { ours, theirs } = await inTurns(pairs, { ours: job, theirs: direct }, (round) =>
        progress(`${round} of ${pairs} pairs`),
      );
      const how =
        `${basename(inputPath)}, ${shown(last!.durationSeconds)} s, ${last!.words} words, ${last!.engine}. Job: from the beginning of the ` +
        'upload to completed_at. Directly: the same decoding, recognition and speaker turns in a process of its own, with the ' +
        `engine loaded before. Medians: ${shown(median(ours))} s against ${shown(median(theirs))} s.`;
      return [
        figure(ratiosOfPairs(ours, theirs), {
          row: 9,
          what: "a job's wall time ÷ the engine called directly on the same file",
          rangeOf: `${pairs} pairs`,
          aim: { atMost: 1.02 },
          how: `${how} The aim is for ten minutes of audio: a shorter file makes it harder.`,
        }),
        figure(
          ours.map((seconds, index) => (seconds - theirs[index]!) * 1000),
          {
            row: 9,
            what: "a job's wall time beyond the engine called directly",
            unit: 'ms',
            rangeOf: `${pairs} pairs`,
            aim: { atMost: 50 },
            how: 'The same pairs, the one subtracted from the other.',
          },
        ),
      ];
    } finally {
      await engine.stop();
      customer.close();
    }
  },
};

/** A real dialogue where somebody has put it beside the repository; otherwise the sample of the repository. */
function recordingPath(repositoryFolder: string): string {
  const speech = process.env['CURRAWONG_SPEECH_DIR'] ?? join(repositoryFolder, '..', 'shared', 'speech');
  const dialogue = join(speech, 'katiesteve.wav');
  return existsSync(dialogue) ? dialogue : join(repositoryFolder, 'samples', 'two-voices.ogg');
}
