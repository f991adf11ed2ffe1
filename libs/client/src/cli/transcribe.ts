import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JobDetail } from '../api-types';
import type { Currawong } from '../client';
import { NotFoundError } from '../errors';
import type { JobProgress } from '../wait';
import { type TranscribeWish, UsageError } from './arguments';
import type { Interruption } from './interruption';
import { duration, megabytes, type Screen } from './screen';
import { giveText, type Printer } from './text';

export interface Surroundings {
  client: Currawong;
  screen: Screen;
  print: Printer;
  interruption: Interruption;
}

/** @returns the exit code */
export async function transcribe(wish: TranscribeWish, surroundings: Surroundings): Promise<number> {
  const { client, screen, print, interruption } = surroundings;
  requireFile(wish.file);
  if (wish.output !== undefined) requireWritable(wish.output);
  const startedAtMs = performance.now();
  const stop = new AbortController();
  interruption.next(() => stop.abort(new Interrupted('Interrupted: nothing was kept.')));
  const { file, language, speakers, prompt, analysis, webhookUrl } = wish;
  const { job_id: id } = await client.transcribe(
    file,
    { language, speakers, prompt, analysis, webhookUrl },
    {
      signal: stop.signal,
      onUploadProgress: ({ sentBytes, totalBytes }) =>
        screen.progress(
          'Upload',
          totalBytes === 0 ? 1 : sentBytes / totalBytes,
          `${megabytes(sentBytes)} of ${megabytes(totalBytes)}`,
        ),
    },
  );
  if (!wish.wait) {
    screen.line(`Accepted. To follow it: currawong job ${id}`);
    print(`${id}\n`);
    return 0;
  }
  const job = await waitUnlessCancelled(id, stop, surroundings);
  if (job === 'cancelled') return 130;
  screen.clear();
  if (job.status === 'failed') {
    screen.line(`Job ${id} failed: ${job.error_message}`);
    return 1;
  }
  for (const warning of job.warnings) screen.line(`Note: ${warning}`);
  await giveText(client, job, wish, screen, print);
  screen.line(`✓ ${summary(job)}, in ${duration((performance.now() - startedAtMs) / 1000)}. Job ${id}`);
  return 0;
}

/** Ended by the person at the keyboard; the message is what became of the recording. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

async function waitUnlessCancelled(
  id: string,
  stop: AbortController,
  { client, screen, interruption }: Surroundings,
): Promise<JobDetail | 'cancelled'> {
  interruption.next(() => {
    screen.line(`Ctrl-C once more cancels the job, and nothing is charged. Left alone it goes on: job ${id}`);
    interruption.next(() => stop.abort(new Interrupted('cancel')));
  });
  try {
    return await client.wait(id, {
      signal: stop.signal,
      onProgress: (job) => screen.progress('Job   ', job.progress, noteOf(job)),
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  interruption.next(() => process.exit(130));
  screen.line(await cancel(id, client));
  return 'cancelled';
}

/** Leaves a job that has ended alone: deleting it would erase a transcript that was paid for. @returns what to say */
async function cancel(id: string, client: Currawong): Promise<string> {
  try {
    const { status } = await client.jobs.get(id);
    if (status === 'completed' || status === 'failed')
      return `Job ${id} ended before it could be cancelled, and is kept: currawong job ${id}`;
    const { cancelled_at } = await client.jobs.delete(id);
    return cancelled_at === null
      ? `Job ${id} ended before it could be cancelled, and was deleted.`
      : `Cancelled job ${id}.`;
  } catch (error) {
    if (error instanceof NotFoundError) return `Job ${id} is not there any more.`;
    throw error;
  }
}

function noteOf({ status, queue_position, estimated_completion_at }: JobProgress): string {
  if (status !== 'processing') return queue_position ? `waiting, ${queue_position} in line` : 'waiting';
  if (!estimated_completion_at) return '';
  const seconds = (Date.parse(estimated_completion_at) - Date.now()) / 1000;
  return seconds > 1 ? `about ${duration(seconds)} left` : '';
}

function summary({ audio_duration_seconds, cost_aud }: JobDetail): string {
  const audio = `${duration(audio_duration_seconds ?? 0)} of audio`;
  return cost_aud === null ? audio : `${audio} for AUD ${cost_aud}`;
}

function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no file ${path}.`);
  if (!found.isFile()) throw new UsageError(`${path} is not a file.`);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new UsageError(`${path} may not be read.`);
  }
}

/** Before anything is sent and paid for. */
export function requireWritable(path: string): void {
  const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  try {
    accessSync(isThere ? path : dirname(path), constants.W_OK);
  } catch {
    throw new UsageError(`${path} cannot be written.`);
  }
}
