import type { JobDetail } from '@currawong/contracts';
import { useState } from 'react';
import { useApi } from '../api/use-api';
import { isUnfinished } from '../jobs/list';
import { useJobEvents } from './use-job-events';

const POLL_MS = 2_000;
/** Where the service tells by itself, it is asked only in case that a connection has died without a word. */
const RARE_POLL_MS = 30_000;

export function jobPath(jobId: string): string {
  return `/jobs/${jobId}?words=true`;
}

/** A job with its words; followed until it has ended, and asked for again only while its
 * speakers are told apart again: a long transcript is megabytes. */
export function useJob(jobId: string) {
  const [hears, setHears] = useState(false);
  const query = useApi<JobDetail>(jobPath(jobId), {
    pollMs: (job) => {
      if (job && isEnded(job)) return job.diarization_pending ? POLL_MS : false;
      return hears ? RARE_POLL_MS : POLL_MS;
    },
    isFinal: (job) => job !== undefined && isEnded(job) && !job.diarization_pending,
  });
  useJobEvents(jobId, jobPath(jobId), query.data !== undefined && isUnfinished(query.data), setHears);
  return query;
}

function isEnded(job: JobDetail): boolean {
  return !isUnfinished(job);
}
