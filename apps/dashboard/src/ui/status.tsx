import type { JobStatus } from '@currawong/contracts';
import './status.css';

const WORDS: Record<JobStatus, string> = {
  pending: 'Waiting',
  uploading: 'Arriving',
  processing: 'Transcribing',
  completed: 'Completed',
  failed: 'Failed',
};

/** Where a job stands: an eye that is shut, open, or done. Told apart by shape as well as by colour. */
export function Status({ status, progress }: { status: JobStatus; progress?: number | undefined }) {
  const share = status === 'processing' && progress !== undefined && progress > 0;
  return (
    <span className={`status status-${status}`}>
      <StatusEye status={status} />
      <span>
        {WORDS[status]}
        {share && <span className="number"> {Math.floor(progress * 100)} %</span>}
      </span>
    </span>
  );
}

export function StatusEye({ status }: { status: JobStatus }) {
  return (
    <svg className="status-eye" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      {status === 'failed' ? (
        <path d="M2.500 2.500l9 9M11.500 2.500l-9 9" fill="none" stroke="currentColor" strokeWidth="2.200" />
      ) : (
        <circle cx="7" cy="7" r="5.500" className="status-iris" />
      )}
      {(status === 'processing' || status === 'uploading') && (
        <circle cx="7" cy="7" r="2.200" className="status-pupil" />
      )}
    </svg>
  );
}
