import type { WebhookDeliveryDetail } from '@currawong/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { send, type Problem } from '../api/client';
import { useMode } from '../api/mode';
import { useRefresh } from '../api/use-api';
import { Button } from '../ui/button';
import { Notice, ProblemNotice } from '../ui/notice';
import { deliveryHref } from './delivery-table';
import { durationText, outcomeText } from './delivery-texts';

/** A message that says nothing, sent while one waits for the answer. */
export function TestEvent({ ready }: { ready: boolean }) {
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [sent, setSent] = useState<WebhookDeliveryDetail | null>(null);
  const test = async () => {
    setBusy(true);
    setSent(null);
    setProblem(null);
    const answer = await send<WebhookDeliveryDetail>('POST', '/webhooks/test');
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    setSent(answer.value);
    // The settings too: an address whose receiver is gone for good is given up.
    await refresh('/webhooks');
  };
  return (
    <div className="form">
      <p className="soft">
        Sends one message of the type <code>webhook.test</code>, signed like every other, to see whether it
        arrives.
      </p>
      <div>
        <Button disabled={!ready} busy={busy} onClick={() => void test()}>
          Send a test event
        </Button>
      </div>
      <ProblemNotice problem={problem} />
      {sent && <Result delivery={sent} />}
    </div>
  );
}

function Result({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const live = useMode() === 'live';
  const attempt = delivery.attempts.at(-1);
  return (
    <Notice
      kind={delivery.status === 'delivered' ? 'done' : delivery.status === 'failed' ? 'problem' : 'note'}
    >
      <p>
        {attempt ? (
          <>
            <strong>{outcomeText(attempt)}</strong> after {durationText(attempt.duration_ms)}.
            {delivery.status === 'failed' && attempt.status_code !== null && (
              <> Only an answer from 200 to 299 counts as delivered.</>
            )}
          </>
        ) : (
          'There is no answer yet.'
        )}{' '}
        {/* What is sent as a test is a live message: in test mode it is not to be found. */}
        {live && <Link href={deliveryHref(delivery.id)}>See the delivery</Link>}
      </p>
      {attempt?.answer && <pre className="webhook-answer">{attempt.answer}</pre>}
    </Notice>
  );
}
