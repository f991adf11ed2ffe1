import { useEffect, useRef, useState } from 'react';
import { send, type Problem } from '../api/client';
import { signInPath } from '../session/next';
import { useSession } from '../session/session';
import { Button, ButtonLink } from '../ui/button';
import { Notice, ProblemNotice } from '../ui/notice';
import { Frame } from './frame';
import { keptToken } from './kept-token';
import { useLinkToken } from './link-token';

type State = 'sending' | 'done' | Problem;

/**
 * Where the link in the message leads. Whoever is signed in to the account confirms it without a further step; others
 * sign in first and come back here.
 */
export default function ConfirmEmailPage() {
  const linked = useLinkToken();
  const [kept] = useState(keptToken.read);
  const token = linked ?? kept;
  const { session, refresh } = useSession();
  const [state, setState] = useState<State>('sending');
  const sent = useRef<string | null>(null);
  const confirm = async () => {
    setState('sending');
    const answer = await send('POST', '/email-confirmation/confirm', { token });
    setState(answer.ok ? 'done' : answer.problem);
    if (answer.ok) await refresh();
    // Signed out meanwhile: sent once more after signing in.
    else if (answer.problem.status === 401) sent.current = null;
  };
  useEffect(() => {
    if (token === null) return;
    if (session.state === 'out') keptToken.keep(token);
    if (session.state !== 'in') return;
    keptToken.clear();
    if (sent.current === token) return;
    sent.current = token;
    void confirm();
  });
  if (token === null) {
    return (
      <Frame title="Confirm your email address">
        <Notice kind="problem">
          <p>This address lacks the part that shows who you are. Open the link from the message again.</p>
        </Notice>
        <Onward signedIn={session.state === 'in'} />
      </Frame>
    );
  }
  if (session.state === 'out' && state !== 'done') {
    return (
      <Frame
        title="Confirm your email address"
        lead="Sign in first, so that only whoever has the account confirms it. If you never made an account here, there is nothing to do."
      >
        <p>
          <ButtonLink kind="main" href={signInPath('/confirm-email', '')}>
            Sign in
          </ButtonLink>
        </p>
      </Frame>
    );
  }
  return (
    <Frame title="Confirm your email address">
      {session.state === 'unknown' && <ProblemNotice problem={session.problem} onRetry={session.retry} />}
      {session.state !== 'unknown' && state === 'sending' && (
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
      {state !== 'sending' && <Onward signedIn={session.state === 'in'} />}
    </Frame>
  );
}

function Onward({ signedIn }: { signedIn: boolean }) {
  return (
    <p>
      <ButtonLink kind="main" href={signedIn ? '/' : '/sign-in'}>
        {signedIn ? 'Go to the overview' : 'Sign in'}
      </ButtonLink>
    </p>
  );
}
