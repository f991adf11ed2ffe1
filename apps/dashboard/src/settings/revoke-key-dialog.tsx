import type { ApiKeyBody } from '@currawong/contracts';
import { useState } from 'react';
import { send, type Problem } from '../api/client';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { ProblemNotice } from '../ui/notice';

interface RevokeKeyDialogProps {
  /** Null: closed. */
  apiKey: ApiKeyBody | null;
  onClose: () => void;
  onRevoked: () => void;
}

export function RevokeKeyDialog({ apiKey, onClose, onRevoked }: RevokeKeyDialogProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => {
    setProblem(null);
    onClose();
  };
  const revoke = async () => {
    if (!apiKey) return;
    setBusy(true);
    const answer = await send<ApiKeyBody>('DELETE', `/keys/${apiKey.id}`);
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    announce(`${apiKey.name} is revoked.`);
    onRevoked();
  };
  return (
    <Dialog
      open={apiKey !== null}
      title={`Revoke “${apiKey?.name}”?`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Keep it</Button>
          <Button kind="danger" busy={busy} onClick={() => void revoke()}>
            Revoke the key
          </Button>
        </>
      }
    >
      <p>
        Programs that use{' '}
        <code>
          {apiKey?.prefix}…{apiKey?.last_four}
        </code>{' '}
        are refused from the next second on. Jobs that were sent with it go on. This cannot be undone.
      </p>
      <ProblemNotice problem={problem} />
    </Dialog>
  );
}
