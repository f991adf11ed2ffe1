import type { JobListItem } from '@currawong/contracts';
import { Link } from 'wouter';
import { numberMoney } from '../format/money';
import { clock, dateTime, inWords } from '../format/time';
import { BinIcon, CrossIcon } from '../ui/icons';
import { Skeleton } from '../ui/skeleton';
import { Status } from '../ui/status';
import { isUnfinished } from './list';
import './job-table.css';

/** Jobs, one a line. `jobs` undefined: not there yet; then `rows` lines hold their place. */
export function JobTable({
  jobs,
  rows,
  caption,
  onRemove,
}: {
  jobs: readonly JobListItem[] | undefined;
  rows: number;
  caption: string;
  /** Where jobs can be cancelled and deleted from here. */
  onRemove?: (job: JobListItem) => void;
}) {
  return (
    <table className="table table-stack job-table">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Recording</th>
          <th scope="col">Status</th>
          <th scope="col" className="right">
            Length
          </th>
          <th scope="col" className="right">
            Cost
          </th>
          <th scope="col" className="right">
            Submitted
          </th>
          {onRemove && (
            <th scope="col">
              <span className="visually-hidden">Cancel or delete</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {jobs
          ? jobs.map((job) => <JobRow key={job.id} job={job} onRemove={onRemove} />)
          : Array.from({ length: rows }, (_, index) => (
              <WaitingRow key={index} width={18 + ((index * 7) % 12)} removable={onRemove !== undefined} />
            ))}
      </tbody>
    </table>
  );
}

interface JobRowProps {
  job: JobListItem;
  onRemove: ((job: JobListItem) => void) | undefined;
}

function JobRow({ job, onRemove }: JobRowProps) {
  const seconds = job.audio_duration_seconds;
  return (
    <tr>
      <td className="job-name">
        <Link href={`/jobs/${job.id}`}>{job.original_filename}</Link>
        {job.error_message !== null && <p className="job-reason">{job.error_message}</p>}
      </td>
      <td className="job-status">
        <Status status={job.status} progress={job.progress} />
      </td>
      <td className="job-length right number">
        {seconds !== null && (
          <>
            <span aria-hidden="true">{clock(seconds)}</span>
            <span className="visually-hidden">{inWords(seconds)}</span>
          </>
        )}
      </td>
      <td className="job-cost right number">{job.cost_aud !== null && numberMoney(job.cost_aud)}</td>
      <td className="job-when right number">
        <time dateTime={job.created_at}>{dateTime(job.created_at)}</time>
      </td>
      {onRemove && (
        <td className="job-remove">
          <button
            type="button"
            className="icon-button"
            aria-label={`${isUnfinished(job) ? 'Cancel' : 'Delete'} ${job.original_filename}`}
            title={isUnfinished(job) ? 'Cancel' : 'Delete'}
            onClick={() => onRemove(job)}
          >
            {isUnfinished(job) ? <CrossIcon /> : <BinIcon />}
          </button>
        </td>
      )}
    </tr>
  );
}

function WaitingRow({ width, removable }: { width: number; removable: boolean }) {
  return (
    <tr>
      <td className="job-name">
        <Skeleton width={width} />
      </td>
      <td className="job-status">
        <Skeleton width={10} />
      </td>
      <td className="job-length right">
        <Skeleton width={5} />
      </td>
      <td className="job-cost right">
        <Skeleton width={5} />
      </td>
      <td className="job-when right">
        <Skeleton width={12} />
      </td>
      {removable && <td className="job-remove" />}
    </tr>
  );
}
