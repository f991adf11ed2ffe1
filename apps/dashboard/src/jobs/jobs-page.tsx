import type { JobListItem, JobStatus } from '@currawong/contracts';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { useMode } from '../api/mode';
import { Button } from '../ui/button';
import { Empty } from '../ui/empty';
import { FilterBar } from '../ui/filter-bar';
import { UploadIcon } from '../ui/icons';
import { Notice, ProblemNotice } from '../ui/notice';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { Loading } from '../ui/skeleton';
import { useUpload } from '../upload/upload-provider';
import { RemoveJobDialog, type Removed } from '../deletions/remove-job-dialog';
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
  const [asked, setAsked] = useState<JobListItem | null>(null);
  const [removed, setRemoved] = useState<Removed | null>(null);
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
        <FilterBar
          label="Filter by status"
          choices={FILTERS}
          chosen={wanted.status}
          href={(status) => jobsHref({ page: 1, status })}
          beside={<Link href="/jobs/deletions">Deletions</Link>}
          count={list && (list.total === 1 ? '1 job' : `${list.total.toLocaleString('en-AU')} jobs`)}
        />
        {removed && <RemovedNotice removed={removed} />}
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
            <JobTable jobs={list?.jobs} rows={PAGE_SIZE} caption="Jobs, newest first" onRemove={setAsked} />
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
      <RemoveJobDialog
        // As it stands now: it may end while one is asked.
        job={asked && (list?.jobs.find(({ id }) => id === asked.id) ?? asked)}
        onClose={() => setAsked(null)}
        onRemoved={(done) => {
          setAsked(null);
          setRemoved(done);
        }}
      />
    </Page>
  );
}

/** Takes the focus: the button that had it is gone with its row. */
function RemovedNotice({ removed: { job, was } }: { removed: Removed }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // After the dialog has given the focus back to that button.
    const frame = requestAnimationFrame(() => link.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [job.id]);
  return (
    <Notice kind="done">
      <p className="job-removed">
        “{job.original_filename}” is {was}.{' '}
        <Link ref={link} href={`/jobs/${job.id}/deletion`}>
          See the receipt
        </Link>
      </p>
    </Notice>
  );
}
