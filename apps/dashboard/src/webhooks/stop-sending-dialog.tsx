import type { WebhookSettings } from '@currawong/contracts';
import { useState } from 'react';
import { send, type Problem } from '../api/client';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { ProblemNotice } from '../ui/notice';
import { addressText } from './delivery-texts';

interface StopSendingDialogProps {
  /** Null: closed. */
  url: string | null;
  onClose: () => void;
  onStopped: () => void;
}

export function StopSendingDialog({ url, onClose, onStopped }: StopSendingDialogProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => {
    setProblem(null);
    onClose();
  };
  const stop = async () => {
    setBusy(true);
    const answer = await send<WebhookSettings>('PUT', '/webhooks', { url: null });
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    announce('Nothing is sent there any more.');
    onStopped();
  };
  return (
    <Dialog
      open={url !== null}
      title="Stop sending?"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Keep sending</Button>
          <Button kind="danger" busy={busy} onClick={() => void stop()}>
            Stop sending
          </Button>
        </>
      }
    >
      <p>
        <strong className="webhook-address">{url && addressText(url)}</strong> is taken out of your settings.
        Messages that wait to be delivered there are given up; they stay in the log. Recordings that name an
        address of their own are still told of.
      </p>
      <ProblemNotice problem={problem} />
    </Dialog>
  );
}
