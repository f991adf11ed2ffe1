import type { CreatedApiKey } from '@currawong/contracts';
import { useState } from 'react';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Dialog } from '../ui/dialog';
import { Notice } from '../ui/notice';

/** The only time that a key is shown whole. Only its button closes it: a slip of the hand would lose the key. */
export function CreatedKeyDialog({
  created,
  onClose,
}: {
  created: CreatedApiKey | null;
  onClose: () => void;
}) {
  const [slipped, setSlipped] = useState(false);
  const close = () => {
    setSlipped(false);
    onClose();
  };
  return (
    <Dialog
      open={created !== null}
      title={`Key “${created?.name}”`}
      onClose={() => setSlipped(true)}
      wide
      footer={
        <Button kind="main" onClick={close}>
          I have stored it
        </Button>
      }
    >
      <Notice>
        <p>
          <strong>Copy the key now.</strong> It is shown this once: we keep only a fingerprint of it. If it
          gets lost, revoke it and create another.
        </p>
      </Notice>
      {created && (
        <div className="created-key">
          <CodeBlock code={created.api_key} what="the API key" />
        </div>
      )}
      {slipped && (
        <Notice kind="problem">
          <p>The key cannot be shown again. Store it, then press “I have stored it”.</p>
        </Notice>
      )}
    </Dialog>
  );
}
