import type { DeletionReceipt, JobDetail, JobListItem } from '@currawong/contracts';
import { useState } from 'react';
import { get, send, type Problem } from '../api/client';
import { useRefresh } from '../api/use-api';
import { isUnfinished } from '../jobs/list';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Notice, ProblemNotice } from '../ui/notice';
import './remove-job-dialog.css';

type RemovableJob = Pick<JobListItem, 'id' | 'original_filename' | 'status'>;

export interface Removed {
  job: RemovableJob;
  was: 'cancelled' | 'deleted';
}

interface RemoveJobDialogProps {
  /** Null: closed. */
  job: RemovableJob | null;
  onClose: () => void;
  onRemoved: (removed: Removed) => void;
}

/** Asks before a job is cancelled or deleted, and says what goes and what stays. */
export function RemoveJobDialog({ job, onClose, onRemoved }: RemoveJobDialogProps) {
  return (
    <Dialog open={job !== null} title={job ? titleOf(job) : ''} onClose={onClose}>
      {job && <Question key={job.id} job={job} onClose={onClose} onRemoved={onRemoved} />}
    </Dialog>
  );
}

function titleOf(job: RemovableJob) {
  return (
    <span className="remove-job-title">
      {isUnfinished(job) ? 'Cancel' : 'Delete'} “{job.original_filename}”?
    </span>
  );
}

function Question({ job, onClose, onRemoved }: RemoveJobDialogProps & { job: RemovableJob }) {
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  // What the question was when it was asked: the job may end while somebody reads it.
  const [was] = useState<Removed['was']>(isUnfinished(job) ? 'cancelled' : 'deleted');
  const [hasEnded, setHasEnded] = useState(false);
  const isTooLate = hasEnded || (was === 'cancelled' && !isUnfinished(job));

  const remove = async () => {
    setBusy(true);
    setProblem(null);
    // To cancel what has ended would erase its transcript, which nobody has asked for.
    const now = was === 'cancelled' ? await get<JobDetail>(`/jobs/${job.id}`) : null;
    if (now?.ok && !isUnfinished(now.value)) {
      setBusy(false);
      setHasEnded(true);
      return refresh('/jobs');
    }
    const answer = await send<DeletionReceipt>('DELETE', `/jobs/${job.id}`);
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    announce(`${job.original_filename} is ${was}.`);
    onRemoved({ job, was });
    await refresh('/jobs?', '/deletions', '/credit');
  };
  return (
    <>
      {was === 'deleted' ? <WhatDeletingDoes /> : <WhatCancellingDoes />}
      {isTooLate && (
        <Notice>
          <p>It has ended meanwhile, so there is nothing to cancel any more.</p>
        </Notice>
      )}
      <ProblemNotice problem={problem} />
      <div className="dialog-foot">
        <Button onClick={onClose}>{isTooLate ? 'Close' : 'Keep it'}</Button>
        {!isTooLate && (
          <Button kind="danger" busy={busy} onClick={() => void remove()}>
            {was === 'deleted' ? 'Delete for good' : 'Cancel the job'}
          </Button>
        )}
      </div>
    </>
  );
}

function WhatDeletingDoes() {
  return (
    <dl className="remove-job">
      <dt>Goes</dt>
      <dd>
        The recording, the transcript, the names of its speakers and everything made from them, within a
        minute. Nobody can bring it back.
      </dd>
      <dt>Stays</dt>
      <dd>
        The charge on your statement, and a receipt that says what was erased and when. Neither holds a file
        name or a word of it.
      </dd>
    </dl>
  );
}

function WhatCancellingDoes() {
  return (
    <dl className="remove-job">
      <dt>Goes</dt>
      <dd>The recording and what was made from it so far. Nothing is charged.</dd>
      <dt>Stays</dt>
      <dd>The job in your list, as cancelled, until you delete it, and a receipt of what was erased.</dd>
    </dl>
  );
}
