import type { WebhookDeliveryDetail } from '@currawong/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { send, type Problem } from '../api/client';
import { useApi, useRefresh } from '../api/use-api';
import { dateTime } from '../format/time';
import { announce } from '../ui/announcer';
import { Button, ButtonLink } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Empty } from '../ui/empty';
import { BackIcon } from '../ui/icons';
import { Notice, ProblemNotice } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { Loading, Skeleton } from '../ui/skeleton';
import { AttemptList } from './attempt-list';
import { DeliveryStatus } from './delivery-status';
import { nextText } from './delivery-table';
import { addressText, eventText, outcomeText, pollMs } from './delivery-texts';
import { DELIVERIES } from './list';
import './delivery-page.css';

/** One message: every attempt to deliver it, what was sent, and the button that sends it once more. */
export default function DeliveryPage({ id }: { id: string }) {
  const [replayedAfter, setReplayedAfter] = useState<number | null>(null);
  const { data, error, isPending, refetch } = useApi<WebhookDeliveryDetail>(`/webhooks/deliveries/${id}`, {
    pollMs: (delivery) => (delivery ? pollMs([delivery], Date.now()) : false),
  });
  const { busy, problem, replay } = useReplay(id, setReplayedAfter);
  if (!data && error?.status === 404) return <NoSuchDelivery />;
  const replayed = replayedAfter === null ? undefined : data?.attempts[replayedAfter];
  const isUnderWay = replayedAfter !== null && !replayed;
  return (
    <Page
      title="Delivery"
      heading={
        <span className="delivery-title">{data ? eventText(data.type) : <Skeleton width={12} />}</span>
      }
      actions={
        <>
          <Link href={DELIVERIES} className="back-link">
            <BackIcon /> All deliveries
          </Link>
          <Button kind="main" disabled={!data} busy={busy || isUnderWay} onClick={() => void replay(data!)}>
            Send it again
          </Button>
        </>
      }
    >
      {isPending && <Loading what="the delivery" />}
      <ProblemNotice problem={data ? null : error} onRetry={() => void refetch()} />
      <ProblemNotice problem={problem} />
      {replayed && (
        <Notice kind={data?.status === 'delivered' ? 'done' : 'problem'}>
          <p>It was sent again. {outcomeText(replayed)}.</p>
        </Notice>
      )}
      {isUnderWay && (
        <Notice>
          <p>It is being sent again …</p>
        </Notice>
      )}
      {data && <Facts delivery={data} />}
      <Section title="Attempts">
        {data ? <AttemptList delivery={data} /> : <div className="delivery-wait" />}
      </Section>
      <Section title="What is sent">
        {data && <CodeBlock code={JSON.stringify(data.payload, null, 2)} what="the message" />}
      </Section>
    </Page>
  );
}

/** @param onAccepted told how many attempts there were before this one */
function useReplay(id: string, onAccepted: (attempts: number) => void) {
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const replay = async ({ attempts }: WebhookDeliveryDetail) => {
    setBusy(true);
    const answer = await send<WebhookDeliveryDetail>('POST', `/webhooks/deliveries/${id}/replay`);
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    onAccepted(attempts.length);
    announce('It is being sent again.');
    await refresh('/webhooks/deliveries');
  };
  return { busy, problem, replay };
}

function Facts({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const { id, status, url, job_id, created_at, next_attempt_at } = delivery;
  return (
    <dl className="delivery-facts">
      <div>
        <dt>Status</dt>
        <dd>
          <DeliveryStatus status={status} />
        </dd>
      </div>
      <div>
        <dt>To</dt>
        <dd>{addressText(url)}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd className="number">{dateTime(created_at)}</dd>
      </div>
      {next_attempt_at !== null && (
        <div>
          <dt>Next attempt</dt>
          <dd className="number">{nextText(next_attempt_at)}</dd>
        </div>
      )}
      {job_id !== null && (
        <div>
          <dt>Job</dt>
          <dd>
            <Link href={`/jobs/${job_id}`}>
              <code>{job_id}</code>
            </Link>
          </dd>
        </div>
      )}
      <div>
        <dt>
          <code>webhook-id</code>
        </dt>
        <dd>
          <code>{id}</code>
        </dd>
      </div>
    </dl>
  );
}

function NoSuchDelivery() {
  return (
    <Page title="No such delivery">
      <Empty title="There is no delivery at this address">
        <p>
          It may have been too long ago, or it belongs to another account, or to the other mode: what live
          jobs and what test jobs tell is kept apart.
        </p>
        <ButtonLink href={DELIVERIES}>All deliveries</ButtonLink>
      </Empty>
    </Page>
  );
}
