import type { JobListItem } from '@currawong/contracts';
import { Link } from 'wouter';
import { numberMoney } from '../format/money';
import { clock, dateTime, inWords } from '../format/time';
import { Skeleton } from '../ui/skeleton';
import { Status } from '../ui/status';
import './job-table.css';

/** Jobs, one a line. `jobs` undefined: not there yet; then `rows` lines hold their place. */
export function JobTable({
  jobs,
  rows,
  caption,
}: {
  jobs: readonly JobListItem[] | undefined;
  rows: number;
  caption: string;
}) {
  return (
    <table className="table job-table">
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
        </tr>
      </thead>
      <tbody>
        {jobs
          ? jobs.map((job) => <JobRow key={job.id} job={job} />)
          : Array.from({ length: rows }, (_, index) => (
              <WaitingRow key={index} width={18 + ((index * 7) % 12)} />
            ))}
      </tbody>
    </table>
  );
}

function JobRow({ job }: { job: JobListItem }) {
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
    </tr>
  );
}

function WaitingRow({ width }: { width: number }) {
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
    </tr>
  );
}
