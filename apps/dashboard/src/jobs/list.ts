import type { JobListItem, JobStatus } from '@currawong/contracts';

export interface JobsWanted {
  page: number;
  pageSize: number;
  status: JobStatus | null;
}

const STATUSES: readonly JobStatus[] = ['pending', 'uploading', 'processing', 'completed', 'failed'];

/** What the address asks for; what makes no sense in it is left out rather than sent to the API. */
export function jobsWanted(search: string, pageSize: number): JobsWanted {
  const query = new URLSearchParams(search);
  return {
    page: pageOf(search),
    pageSize,
    status: STATUSES.find((status) => status === query.get('status')) ?? null,
  };
}

/** The page of a list that an address asks for; the first where that makes no sense. */
export function pageOf(search: string): number {
  const page = Number(new URLSearchParams(search).get('page') ?? 1);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}

/** The address of the page that shows these. */
export function jobsHref({ page, status }: Pick<JobsWanted, 'page' | 'status'>): string {
  const query = new URLSearchParams();
  if (status) query.set('status', status);
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? '/jobs' : `/jobs?${query}`;
}

export function jobsPath({ page, pageSize, status }: JobsWanted): string {
  return `/jobs?page=${page}&page_size=${pageSize}${status ? `&status=${status}` : ''}`;
}

export function isUnfinished({ status }: Pick<JobListItem, 'status'>): boolean {
  return status !== 'completed' && status !== 'failed';
}
