import { useConfirmationMail } from '../session/use-confirmation-mail';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';

/** Until the address is known to be theirs. Nothing is held back meanwhile. */
export function ConfirmEmailBanner({ email }: { email: string }) {
  const { state, problem, sendAgain } = useConfirmationMail();
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
