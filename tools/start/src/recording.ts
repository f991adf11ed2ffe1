import { ApiError, Currawong, InsufficientCreditError } from '@currawong/client';
import { SetupError } from '@currawong/local-platform';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Screen } from './screen';
import { formatTurns, parseTurns } from './transcript-text';

export interface Api {
  baseUrl: string;
  apiKey: string;
  accountId: string;
}

export interface Recording {
  path: string;
  speakers: number | undefined;
  language: string | undefined;
}

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
export async function transcribeAndPrint(api: Api, recording: Recording, screen: Screen): Promise<boolean> {
  const began = performance.now();
  screen.line(`\nTranscribing ${recording.path}`);
  const client = new Currawong(api);
  const upload = screen.bar('Upload');
  const { path, ...options } = recording;
  const onUploadProgress = (sent: { sentBytes: number; totalBytes: number }) =>
    upload.show(sent.totalBytes === 0 ? 1 : sent.sentBytes / sent.totalBytes);
  let jobId: string;
  try {
    ({ job_id: jobId } = await client.transcribe(path, options, { onUploadProgress }));
  } catch (error) {
    upload.abandon();
    if (!(error instanceof ApiError)) throw error;
    const hint =
      error instanceof InsufficientCreditError
        ? ` (give the demo account credit: npm run admin -- credit add ${api.accountId} --aud 10 --reason demo)`
        : '';
    screen.line(`The recording was not accepted: ${error.detail}${hint}`);
    return false;
  }
  upload.done(`Upload (${seconds(began)} s)`);

  const accepted = performance.now();
  const bar = screen.bar('Job   ');
  const job = await client.wait(jobId, { onProgress: ({ progress, status }) => bar.show(progress, status) });
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
