import type { WebhookSecret } from '@currawong/contracts';
import { useState } from 'react';
import { get, type Problem } from '../api/client';
import { dateTime, day } from '../format/time';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Notice, ProblemNotice } from '../ui/notice';
import { RotateSecretDialog } from './rotate-secret-dialog';

/** What every message is signed with: fetched only when somebody wants to see it, which the security log notes. */
export function SigningSecret() {
  const [secret, setSecret] = useState<WebhookSecret | null>(null);
  const [rotated, setRotated] = useState(false);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const show = async () => {
    setBusy(true);
    const answer = await get<WebhookSecret>('/webhooks/secret');
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    setSecret(answer.value);
    announce('The secret is shown.');
  };
  const hide = () => {
    setSecret(null);
    setRotated(false);
  };
  return (
    <div className="form">
      <p className="soft">Every message is signed with it. Your receivers need it; nobody else does.</p>
      {rotated && (
        <Notice kind="done">
          <p>The secret was replaced. Give the new one to your receivers.</p>
        </Notice>
      )}
      {secret ? (
        <div className="webhook-secret">
          <CodeBlock code={secret.secret} what="the signing secret" />
          <p className="small soft">
            Made {day(secret.created_at)}.
            {secret.previous_expires_at !== null &&
              ` Until ${dateTime(secret.previous_expires_at)} the one before signs as well.`}
          </p>
        </div>
      ) : (
        <p className="webhook-secret-hidden">
          <code aria-hidden="true">whsec_••••••••••••••••••••••••</code>
          <span className="visually-hidden">The secret is hidden.</span>
        </p>
      )}
      <ProblemNotice problem={problem} />
      <div className="webhook-buttons">
        <Button busy={busy} onClick={() => (secret ? hide() : void show())}>
          {secret ? 'Hide the secret' : 'Show the secret'}
        </Button>
        <Button kind="quiet" onClick={() => setAsking(true)}>
          Replace it
        </Button>
      </div>
      <RotateSecretDialog
        open={asking}
        onClose={() => setAsking(false)}
        onRotated={(replaced) => {
          setAsking(false);
          setProblem(null);
          setSecret(replaced);
          setRotated(true);
        }}
      />
    </div>
  );
}
