import type { JobDetail } from '@currawong/contracts';
import { dateTime } from '../format/time';
import { ButtonLink } from '../ui/button';
import { Notice } from '../ui/notice';
import { Status } from '../ui/status';
import './unfinished.css';

/** Where a job stands that has no transcript yet. */
export function InProgress({ job }: { job: JobDetail }) {
  const started = job.status === 'processing';
  return (
    <section className="in-progress" aria-label="Progress">
      <p className="in-progress-status">
        <Status status={job.status} />
        <span className="number">{started ? `${Math.floor(job.progress * 100)} %` : ''}</span>
      </p>
      <progress
        className="progress-bar"
        aria-label="Share of the work that is done"
        {...(started && { value: job.progress, max: 1 })}
      />
      <p className="soft">{NEXT[job.status as keyof typeof NEXT]} The transcript opens here by itself.</p>
      <p className="soft number" aria-live="polite">
        {[placeOf(job.queue_position), readyAt(job.estimated_completion_at)].filter(Boolean).join(' ')}
      </p>
    </section>
  );
}

function placeOf(position: number | null): string {
  if (position === null) return '';
  return position === 1
    ? 'It is next.'
    : `Before it ${position === 2 ? '1 recording waits' : `${(position - 1).toLocaleString('en-AU')} recordings wait`}.`;
}

/** In steps of what an estimate is worth. */
function readyAt(timestamp: string | null, now = Date.now()): string {
  if (timestamp === null) return '';
  const seconds = (Date.parse(timestamp) - now) / 1_000;
  if (seconds < 50) return 'It should be ready within a minute.';
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90
    ? `It should be ready in about ${minutes} minutes.`
    : `It should be ready about ${dateTime(timestamp)}.`;
}

const NEXT = {
  uploading: 'The recording is still arriving.',
  pending: 'The recording is here and waits for its turn.',
  processing: 'You can leave this page: the work goes on without it.',
};

/** Why there will be no transcript, and what can be done. */
export function Failed({ job }: { job: JobDetail }) {
  if (job.error_message === CANCELLED) return <Cancelled job={job} />;
  return (
    <>
      <Notice kind="problem">
        <p>
          <strong>There is no transcript.</strong> {job.error_message}
        </p>
      </Notice>
      <p className="soft measure">
        Nothing was charged. It ended {job.completed_at ? dateTime(job.completed_at) : 'just now'}. When the
        cause is put right, send the recording again; if it fails again for no reason that you can see, tell
        us this number: <code>{job.id}</code>
      </p>
      <p>
        <ButtonLink kind="main" href="/">
          Send a recording
        </ButtonLink>
      </p>
    </>
  );
}

/** How the API tells of a job that its own client has stopped. */
const CANCELLED = 'Cancelled by the client';

function Cancelled({ job }: { job: JobDetail }) {
  return (
    <>
      <p className="measure">
        This job was cancelled{job.completed_at && ` ${dateTime(job.completed_at)}`}. Nothing was charged, and
        what had been stored of the recording is erased.
      </p>
      <p>
        <ButtonLink href={`/jobs/${job.id}/deletion`}>See the receipt</ButtonLink>
      </p>
    </>
  );
}
