import { useState } from 'react';
import { send, type Problem } from '../api/client';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';

/** Until the address is known to be theirs. Nothing is held back meanwhile. */
export function ConfirmEmailBanner({ email }: { email: string }) {
  const [state, setState] = useState<'asked' | 'sending' | 'sent'>('asked');
  const [problem, setProblem] = useState<Problem | null>(null);
  const sendAgain = async () => {
    setState('sending');
    const answer = await send('POST', '/email-confirmation');
    setProblem(answer.ok ? null : answer.problem);
    setState(answer.ok ? 'sent' : 'asked');
  };
  return (
    <aside className="confirm-banner" aria-label="Email address">
      <Notice
        action={
          state !== 'sent' && (
            <Button small busy={state === 'sending'} onClick={() => void sendAgain()}>
              Send it again
            </Button>
          )
        }
      >
        <p>
          {state === 'sent'
            ? `A new message is on its way to ${email}.`
            : `Please confirm your email address: follow the link in the message to ${email}.`}
          {problem && ` ${problem.detail}`}
        </p>
      </Notice>
    </aside>
  );
}
