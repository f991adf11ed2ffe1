import type { JobStatus } from '@currawong/contracts';
import { Link, useSearch } from 'wouter';
import { useMode } from '../api/mode';
import { Button } from '../ui/button';
import { Empty } from '../ui/empty';
import { UploadIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { Loading } from '../ui/skeleton';
import { useUpload } from '../upload/upload-provider';
import { FirstJob } from './first-job';
import { JobTable } from './job-table';
import { jobsHref, jobsWanted } from './list';
import { useJobs } from './use-jobs';
import './jobs-page.css';

const PAGE_SIZE = 20;
const FILTERS: [JobStatus | null, string][] = [
  [null, 'All'],
  ['processing', 'Transcribing'],
  ['pending', 'Waiting'],
  ['uploading', 'Arriving'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
];

/** Every job of the account; filter and page are in the address, so that they can be kept and shared. */
export default function JobsPage() {
  const wanted = jobsWanted(useSearch(), PAGE_SIZE);
  const { choose } = useUpload();
  const testing = useMode() === 'test';
  const jobs = useJobs(wanted);
  const list = jobs.data;
  return (
    <Page
      title="Jobs"
      actions={
        <Button kind="main" onClick={choose}>
          <UploadIcon /> Transcribe recordings
        </Button>
      }
    >
      <div className="jobs">
        <div className="jobs-bar">
          <nav className="jobs-filter" aria-label="Filter by status">
            {FILTERS.map(([status, label]) => (
              <Link
                key={label}
                href={jobsHref({ page: 1, status })}
                aria-current={wanted.status === status ? 'true' : undefined}
              >
                {label}
              </Link>
            ))}
          </nav>
          <p className="soft number" role="status">
            {list && (list.total === 1 ? '1 job' : `${list.total.toLocaleString('en-AU')} jobs`)}
          </p>
        </div>
        <ProblemNotice problem={list ? null : jobs.error} onRetry={() => void jobs.refetch()} />
        {jobs.isPending && <Loading what="the jobs" />}
        {list?.jobs.length === 0 ? (
          wanted.status === null && wanted.page === 1 ? (
            <FirstJob testing={testing} />
          ) : (
            <Empty title={wanted.page > 1 ? 'This page is past the end.' : 'No job has this status.'}>
              <Link href="/jobs">See all jobs</Link>
            </Empty>
          )
        ) : (
          (list ?? jobs.isPending) && (
            <JobTable jobs={list?.jobs} rows={PAGE_SIZE} caption="Jobs, newest first" />
          )
        )}
        {list && (
          <Pager
            page={list.page}
            totalPages={list.total_pages}
            href={(page) => jobsHref({ page, status: wanted.status })}
          />
        )}
      </div>
    </Page>
  );
}
