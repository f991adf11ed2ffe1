import type { ReactNode } from 'react';
import type { Problem } from '../api/client';
import { Button } from './button';
import './notice.css';

/** Something that should be read now. A problem is read out at once; the rest when there is a pause. */
export function Notice({
  kind = 'note',
  children,
  action,
}: {
  kind?: 'note' | 'done' | 'problem';
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      <div className="notice-text">{children}</div>
      {action}
    </div>
  );
}

/** What the API said went wrong; nothing where nothing did. */
export function ProblemNotice({
  problem,
  onRetry,
}: {
  problem: Problem | null | undefined;
  onRetry?: (() => void) | undefined;
}) {
  if (!problem) return null;
  return (
    <Notice
      kind="problem"
      action={
        onRetry && (
          <Button small onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      <p>{problem.detail}</p>
    </Notice>
  );
}
