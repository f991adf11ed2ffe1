import { useAccount } from '../session/session';
import { useConfirmationMail } from '../session/use-confirmation-mail';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { TickIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';

/** The address, and whether it is known to be theirs. */
export function EmailState() {
  const { email, email_confirmed } = useAccount();
  const { state, problem, sendAgain } = useConfirmationMail();
  const sendAndTell = async () => {
    if (await sendAgain()) announce('The message was sent.');
  };
  return (
    <div className="form">
      <p className="email-state">
        <strong>{email}</strong>
        <span className="save-row-done">
          {email_confirmed ? (
            <>
              <TickIcon /> Confirmed
            </>
          ) : (
            'Not confirmed yet'
          )}
        </span>
      </p>
      {!email_confirmed && (
        <>
          <p className="soft">
            {state === 'sent'
              ? 'A new message is on its way. Follow the link in it.'
              : 'Follow the link in the message that we sent, so that a forgotten password can be replaced.'}
          </p>
          {state !== 'sent' && (
            <div>
              <Button busy={state === 'sending'} onClick={() => void sendAndTell()}>
                Send it again
              </Button>
            </div>
          )}
        </>
      )}
      <ProblemNotice problem={problem} />
    </div>
  );
}
