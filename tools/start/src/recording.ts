import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SetupError } from '@currawong/local-platform';
import type { Screen } from './screen';
import { type Api, type Recording, submit, waitForJob } from './transcribe';
import { formatTurns, parseTurns } from './transcript-text';

/** The named file, relative to where npm was called; or the sample that comes with the repository. */
export function findRecording(
  file: string | undefined,
  callerFolder: string,
  samplesFolder: string,
): string | undefined {
  if (file === undefined) {
    const sample = existsSync(samplesFolder)
      ? readdirSync(samplesFolder).find((name) => /^two-voices\.(ogg|wav|mp3|flac|m4a)$/.test(name))
      : undefined;
    return sample && join(samplesFolder, sample);
  }
  const path = resolve(callerFolder, file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new SetupError(`There is no file ${path}.`);
  if (!found.isFile()) throw new SetupError(`${path} is not a file.`);
  return path;
}

/** Sends a recording through the public API and prints who said what. False when it was refused or failed. */
export async function transcribeAndPrint(
  api: Api & { accountId: string },
  recording: Recording,
  screen: Screen,
): Promise<boolean> {
  const began = performance.now();
  screen.line(`\nTranscribing ${recording.path}`);
  const upload = screen.bar('Upload');
  const submission = await submit(api, recording, (fraction) => upload.show(fraction)).catch(
    (error: unknown) => {
      upload.abandon();
      throw error;
    },
  );
  if ('refusal' in submission) {
    upload.abandon();
    const hint = /balance|credit|minutes/i.test(submission.refusal)
      ? ` (give the demo account credit: npm run admin -- credit add ${api.accountId} --aud 10 --reason demo)`
      : '';
    screen.line(`The recording was not accepted: ${submission.refusal}${hint}`);
    return false;
  }
  upload.done(`Upload (${seconds(began)} s)`);

  const accepted = performance.now();
  const bar = screen.bar('Job   ');
  const job = await waitForJob(api, submission.jobId, ({ progress, status }) =>
    bar.show(progress ?? 0, status),
  );
  if (job.status !== 'completed') {
    bar.abandon();
    screen.line(`The job ${job.id} failed: ${job.error_message ?? 'no reason was given'}`);
    return false;
  }
  bar.done(`Job (${seconds(accepted)} s for ${job.audio_duration_seconds} s of audio)`);
  const turns = parseTurns(job.diarization ?? '');
  screen.line();
  screen.line(turns.length > 0 ? formatTurns(turns, screen.width) : '  (no speech)');
  screen.line();
  screen.line(`Done in ${seconds(began)} s.`);
  return true;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
