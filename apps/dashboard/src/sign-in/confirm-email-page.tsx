import { useEffect, useRef, useState } from 'react';
import { send, type Problem } from '../api/client';
import { useSession } from '../session/session';
import { Button, ButtonLink } from '../ui/button';
import { Notice, ProblemNotice } from '../ui/notice';
import { Frame } from './frame';
import { useLinkToken } from './link-token';

type State = 'sending' | 'done' | Problem;

/** Where the link in the message leads: the address is confirmed without a further step. */
export default function ConfirmEmailPage() {
  const token = useLinkToken();
  const { session, refresh } = useSession();
  const [state, setState] = useState<State>('sending');
  const sent = useRef<string | null>(null);
  const confirm = async () => {
    setState('sending');
    const answer = await send('POST', '/email-confirmation/confirm', { token });
    setState(answer.ok ? 'done' : answer.problem);
    if (answer.ok) await refresh();
  };
  useEffect(() => {
    if (token === null || sent.current === token) return;
    sent.current = token;
    void confirm();
  });
  const onward = (
    <p>
      <ButtonLink kind="main" href={session.state === 'in' ? '/' : '/sign-in'}>
        {session.state === 'in' ? 'Go to the overview' : 'Sign in'}
      </ButtonLink>
    </p>
  );
  if (token === null) {
    return (
      <Frame title="Confirm your email address">
        <Notice kind="problem">
          <p>This address lacks the part that shows who you are. Open the link from the message again.</p>
        </Notice>
        {onward}
      </Frame>
    );
  }
  return (
    <Frame title="Confirm your email address">
      {state === 'sending' && (
        <Button kind="main" busy>
          Confirm
        </Button>
      )}
      {state === 'done' && (
        <Notice kind="done">
          <p>Your email address is confirmed.</p>
        </Notice>
      )}
      {typeof state === 'object' && (
        <>
          <ProblemNotice problem={state} onRetry={state.status === 400 ? undefined : () => void confirm()} />
          {state.status === 400 && session.state === 'in' && !session.account.email_confirmed && (
            <p>The banner on every page sends you a new message.</p>
          )}
        </>
      )}
      {state !== 'sending' && onward}
    </Frame>
  );
}
