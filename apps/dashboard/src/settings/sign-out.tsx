import { useState } from 'react';
import { useSession } from '../session/session';
import { Button } from '../ui/button';

export function SignOut() {
  const { signOut } = useSession();
  const [busy, setBusy] = useState(false);
  return (
    <div>
      <Button
        busy={busy}
        onClick={() => {
          setBusy(true);
          void signOut().finally(() => setBusy(false));
        }}
      >
        Sign out on this device
      </Button>
    </div>
  );
}
