import type { JobDetail } from '@currawong/contracts';
import { useApi } from '../api/use-api';

const POLL_MS = 2_000;

export function jobPath(jobId: string): string {
  return `/jobs/${jobId}?words=true`;
}

/** A job with its words; asked for again until it has ended, and then only while its
 * speakers are told apart again: a long transcript is megabytes. */
export function useJob(jobId: string) {
  return useApi<JobDetail>(jobPath(jobId), {
    pollMs: (job) => (isEnded(job) && !job?.diarization_pending ? false : POLL_MS),
    isFinal: (job) => isEnded(job) && !job?.diarization_pending,
  });
}

function isEnded(job: JobDetail | undefined): boolean {
  return job?.status === 'completed' || job?.status === 'failed';
}
