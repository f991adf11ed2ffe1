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
    </section>
  );
}

const NEXT = {
  uploading: 'The recording is still arriving.',
  pending: 'The recording is here and waits for its turn.',
  processing: 'You can leave this page: the work goes on without it.',
};

/** Why there will be no transcript, and what can be done. */
export function Failed({ job }: { job: JobDetail }) {
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
