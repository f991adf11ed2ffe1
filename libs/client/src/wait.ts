import type { JobDetail } from './api-types';
import { ApiError } from './errors';
import { pause } from './http';
import type { Jobs } from './jobs';

/** What is told of a job while it is waited for. */
export type JobProgress = Pick<JobDetail, 'status' | 'progress'> & Partial<JobDetail>;

/** Short recordings are done in a second or two; later, what stays within 60 requests a minute with room for others. */
const FIRST_PAUSES_SECONDS = [0.5, 0.5, 1, 1];
const PAUSE_SECONDS = 2;
/** Connections that ended without a word, after which there is no use in another one. */
const MOST_SILENT_STREAMS = 3;

/**
 * Follows the job's events where they can be had; what counts is the job itself, which is asked for whenever they end, and
 * again and again where there are none.
 */
export async function waitForEnd(
  jobs: Jobs,
  id: string,
  onProgress: ((job: JobProgress) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<JobDetail> {
  let silentStreams = 0;
  for (let asked = 0; ; asked++) {
    const job = await jobs.get(id, { signal });
    onProgress?.(job);
    if (hasEnded(job)) return job;
    if (silentStreams < MOST_SILENT_STREAMS) {
      const heard = await listen(jobs, id, onProgress, signal);
      silentStreams = heard === 'no events here' ? Infinity : heard === 'nothing' ? silentStreams + 1 : 0;
      if (heard === 'the end') continue;
    }
    await pause(FIRST_PAUSES_SECONDS[asked] ?? PAUSE_SECONDS, signal);
  }
}

async function listen(
  jobs: Jobs,
  id: string,
  onProgress: ((job: JobProgress) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<'the end' | 'something' | 'nothing' | 'no events here'> {
  let heard: 'something' | 'nothing' = 'nothing';
  try {
    for await (const { data } of jobs.events(id, { signal })) {
      const job = progressIn(data);
      if (!job) continue;
      heard = 'something';
      if (hasEnded(job)) return 'the end';
      onProgress?.(job);
    }
  } catch (error) {
    signal?.throwIfAborted();
    // A proxy on the way, or an older service: the job itself can still be asked for.
    if (error instanceof ApiError && error.status < 500) return 'no events here';
  }
  return heard;
}

function progressIn(data: string): JobProgress | undefined {
  try {
    const job = JSON.parse(data) as Partial<JobProgress> | null;
    return job && typeof job.status === 'string' && typeof job.progress === 'number'
      ? (job as JobProgress)
      : undefined;
  } catch {
    return undefined;
  }
}

function hasEnded({ status }: Pick<JobDetail, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
