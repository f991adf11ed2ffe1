import type { WebhookSecret } from '@currawong/contracts';
import { useState } from 'react';
import { send, type Problem } from '../api/client';
import { dateTime } from '../format/time';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { ProblemNotice } from '../ui/notice';

/** What the service says of itself: a secret that was replaced signs for so long beside the new one. */
const BOTH_SIGN_HOURS = 24;

interface RotateSecretDialogProps {
  open: boolean;
  onClose: () => void;
  onRotated: (secret: WebhookSecret) => void;
}

export function RotateSecretDialog({ open, onClose, onRotated }: RotateSecretDialogProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => {
    setProblem(null);
    onClose();
  };
  const rotate = async () => {
    setBusy(true);
    const answer = await send<WebhookSecret>('POST', '/webhooks/secret/rotation');
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    announce('The secret was replaced.');
    onRotated(answer.value);
  };
  const until = new Date(Date.now() + BOTH_SIGN_HOURS * 3_600_000).toISOString();
  return (
    <Dialog
      open={open}
      title="Replace the signing secret?"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Keep it</Button>
          <Button kind="danger" busy={busy} onClick={() => void rotate()}>
            Replace the secret
          </Button>
        </>
      }
    >
      <p>
        A new secret signs from now on. Until <strong>{dateTime(until)}</strong> the present one signs as
        well: each message carries both signatures, so that none is refused while you change your receivers.
      </p>
      <p>
        A secret that was replaced before, and still signs, stops at once. If the present one has leaked,
        replace it twice.
      </p>
      <ProblemNotice problem={problem} />
    </Dialog>
  );
}
