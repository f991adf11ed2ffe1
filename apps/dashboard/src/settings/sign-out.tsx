import { useState } from 'react';
import type { Problem } from '../api/client';
import { useSession } from '../session/session';
import { Button } from '../ui/button';
import { ProblemNotice } from '../ui/notice';

export function SignOut() {
  const { signOut } = useSession();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return (
    <div>
      <Button
        busy={busy}
        onClick={() => {
          setBusy(true);
          void signOut()
            .then(setProblem)
            .finally(() => setBusy(false));
        }}
      >
        Sign out on this device
      </Button>
      <ProblemNotice problem={problem} />
    </div>
  );
}
