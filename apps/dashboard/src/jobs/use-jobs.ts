import type { JobList } from '@currawong/contracts';
import { useEffect, useRef } from 'react';
import { useApi, useRefresh } from '../api/use-api';
import { isUnfinished, jobsPath, type JobsWanted } from './list';

const POLL_MS = 2_000;

/** A page of jobs, asked again while one of them is unfinished; what one that ends has cost is asked for with it. */
export function useJobs(wanted: JobsWanted) {
  const jobs = useApi<JobList>(jobsPath(wanted), {
    pollMs: (list) => (list?.jobs.some(isUnfinished) ? POLL_MS : false),
    keepPrevious: true,
  });
  const refresh = useRefresh();
  const unfinished = jobs.data?.jobs.filter(isUnfinished).length ?? 0;
  const before = useRef(0);
  useEffect(() => {
    if (unfinished < before.current) void refresh('/credit', '/usage', '/statement');
    before.current = unfinished;
    // `refresh` is new at every render and always the same.
  }, [unfinished]);
  return jobs;
}
