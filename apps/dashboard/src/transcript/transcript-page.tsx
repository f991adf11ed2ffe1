import type { DeletionReceipt, JobDetail } from '@currawong/contracts';
import { useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useApi } from '../api/use-api';
import { RemoveJobDialog } from '../deletions/remove-job-dialog';
import { isUnfinished } from '../jobs/list';
import { useAccount } from '../session/session';
import { PageWait } from '../shell/page-wait';
import { Button, ButtonLink } from '../ui/button';
import { Empty } from '../ui/empty';
import { BinIcon, CrossIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Page } from '../ui/page';
import { Loading, Skeleton } from '../ui/skeleton';
import { Facts } from './facts';
import { Reader } from './reader';
import { Failed, InProgress } from './unfinished';
import { useJob } from './use-job';
import { useRecording } from './use-recording';
import './transcript-page.css';

/** One job: how far it is, why it failed, or what was said. */
export default function TranscriptPage({ id }: { id: string }) {
  const { data: job, error, refetch } = useJob(id);
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  if (error?.status === 404) return <Gone id={id} />;
  const title = job?.original_filename ?? 'Transcript';
  return (
    <Page
      title={title}
      heading={<span className="job-title">{job ? title : <Skeleton width={18} />}</span>}
      actions={
        job && (
          <Button kind="quiet" onClick={() => setAsking(true)}>
            {isUnfinished(job) ? <CrossIcon /> : <BinIcon />}
            {isUnfinished(job) ? 'Cancel the job' : 'Delete'}
          </Button>
        )
      }
    >
      {job && <Facts job={job} />}
      {!job && !error && <Waiting />}
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {job && <Body job={job} />}
      <RemoveJobDialog
        job={asking ? (job ?? null) : null}
        onClose={() => setAsking(false)}
        onRemoved={({ was }) => {
          setAsking(false);
          if (was === 'deleted') navigate(`/jobs/${id}/deletion`, { replace: true });
          else void refetch();
        }}
      />
    </Page>
  );
}

function Body({ job }: { job: JobDetail }) {
  if (job.status === 'failed') return <Failed job={job} />;
  if (job.status !== 'completed') return <InProgress job={job} />;
  return job.segments?.length ? <Reader key={job.id} job={job} /> : <NoSpeech job={job} />;
}

function NoSpeech({ job }: { job: JobDetail }) {
  const { audio_retention_days: days } = useAccount();
  const { src } = useRecording(job.id, job.audio_available);
  return (
    <Empty title="Nobody speaks in this recording">
      <p>
        The whole recording was listened to and no speech was found in it. If there should be some, check that
        it is the right file and that it can be heard at an ordinary volume, and that the language is right.
      </p>
      {job.audio_available ? (
        <audio className="plain-player" controls preload="metadata" src={src} />
      ) : (
        <p>The recording was erased after {days} days.</p>
      )}
      <ButtonLink href="/">Send another recording</ButtonLink>
    </Empty>
  );
}

/** What was deleted has a receipt, which is what there is to be seen of it. */
function Gone({ id }: { id: string }) {
  const { data, isPending } = useApi<DeletionReceipt>(`/jobs/${id}/deletion`);
  if (data) return <Redirect to={`/jobs/${id}/deletion`} replace />;
  return isPending ? <PageWait /> : <NoSuchJob />;
}

function NoSuchJob() {
  return (
    <Page title="No such job">
      <Empty title="There is no job at this address">
        <p>
          It may have been erased, or it belongs to another account, or to the other mode: live jobs and test
          jobs are kept apart.
        </p>
        <ButtonLink href="/jobs">All jobs</ButtonLink>
      </Empty>
    </Page>
  );
}

function Waiting() {
  return (
    <>
      <Loading what="the transcript" />
      <div className="transcript-wait" aria-hidden="true">
        {[58, 61, 40, 60, 63, 22].map((width, line) => (
          <Skeleton key={line} width={width} />
        ))}
      </div>
    </>
  );
}
